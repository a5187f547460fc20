import { exportRequest } from "../../../sdk/multi-cluster/export-request.ts";
import type { MultiClusterController } from "./controller.ts";

/** What operators are told of a cluster set: its members, what each exports and imports, and what stands in the way. */
export interface ClustersPage {
  readonly members: readonly MemberPage[];
}

export interface MemberPage {
  readonly name: string;
  readonly state: string;
  /** Why it is not followed, or does not count; undefined where it does. */
  readonly problem: string | undefined;
  /** Seconds since it was last followed; 0 where it is. */
  readonly age: number;
  readonly exports: readonly ExportPage[];
  readonly imports: readonly ImportPage[];
}

export interface ExportPage {
  /** `namespace/name`. */
  readonly pool: string;
  /** Reason of the Exported condition; undefined where nothing is said yet. */
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

export interface ImportPage {
  readonly name: string;
  readonly clusters: readonly string[];
  readonly ready: string | undefined;
}

export function clustersPage(
  controller: Pick<MultiClusterController, "members" | "refusal">,
  controllerName: string,
): ClustersPage {
  return {
    members: [...controller.members.values()].map((member): MemberPage => {
      const { name, role, followed } = member;
      const refusal = controller.refusal(name);
      const exports: ExportPage[] = [];
      const imports: ImportPage[] = [];
      for (const key of [...new Set(followed.names())].sort()) {
        const [namespace = "", poolName = ""] = key.split("/");
        const { pool, import: it } = followed.view(namespace, poolName);
        const request = exportRequest(pool);
        if (pool !== undefined && request.kind !== "none") {
          const entry = pool.parents.find((parent) => parent.controllerName === controllerName);
          const condition = entry?.conditions?.find(({ type }) => type === "Exported");
          exports.push({ pool: key, reason: condition?.reason, message: condition?.message });
        }
        if (it?.entry !== undefined)
          imports.push({
            name: key,
            clusters: it.entry.exporters,
            ready: it.entry.conditions.find(({ type }) => type === "Ready")?.status,
          });
      }
      const state =
        refusal !== undefined ? "refused" : role === "leaving" ? role : followed.contact;
      const age = Math.round((followed.silence ?? 0) / 1000);
      return { name, state, problem: refusal ?? followed.problem, age, exports, imports };
    }),
  };
}
