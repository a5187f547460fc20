import type {
  ClustersPage,
  ExportPage,
  ImportPage,
  MemberPage,
} from "../../../sdk/multi-cluster/clusters-page.ts";
import { exportRequest } from "../../../sdk/multi-cluster/export-request.ts";
import type { MemberView } from "../../../sdk/multi-cluster/view.ts";
import { annotation } from "../../../sdk/names.ts";
import type { MultiClusterController } from "./controller.ts";
import type { Member } from "./member.ts";

export type ReportedController = Pick<
  MultiClusterController,
  "members" | "refusal" | "doubt" | "leading"
>;

/** Builds the page of a cluster set for operators: its members, their exports and imports, and the problems of each. */
export const clustersPage = (
  controller: ReportedController,
  controllerName: string,
): ClustersPage => ({
  controllerName,
  leading: controller.leading,
  members: [...controller.members.values()].map((member) =>
    memberPage(
      member,
      controller.refusal(member.name),
      controller.doubt(member.name),
      controllerName,
    ),
  ),
});

function memberPage(
  member: Member,
  refusal: string | undefined,
  doubt: string | undefined,
  controllerName: string,
): MemberPage {
  const { name, role, followed, queued } = member;
  const views = [...new Set(followed.names())].sort().map((key) => {
    const [namespace = "", pool = ""] = key.split("/");
    return { key, view: member.view(namespace, pool) };
  });
  return {
    name,
    state: refusal !== undefined ? "refused" : role === "leaving" ? role : followed.contact,
    problem: refusal ?? doubt ?? followed.problem,
    age: Math.round((followed.silenceMs ?? 0) / 1000),
    queued,
    exports: views.flatMap(({ key, view }) => exportPage(key, view, refusal, controllerName) ?? []),
    imports: views.flatMap(({ key, view }) => importPage(key, view) ?? []),
  };
}

function exportPage(
  key: string,
  { pool, failure }: Pick<MemberView, "pool" | "failure">,
  refusal: string | undefined,
  controllerName: string,
): ExportPage | undefined {
  if (pool === undefined || pool.deleting) return undefined;
  const because = (reason: string, message: string) => ({
    ...{ pool: key, exported: false, reason, message },
  });
  if (exportRequest(pool).kind === "none")
    return pool.exportMode === undefined
      ? undefined
      : because(
          "NotRequested",
          `${annotation.exportMode} alone exports nothing; add ${annotation.export}`,
        );
  if (refusal !== undefined) return because("MemberRefused", `the member ${refusal}`);
  const entry = pool.parents.find((parent) => parent.controllerName === controllerName);
  const condition = entry?.conditions?.find(({ type }) => type === "Exported");
  if (failure !== undefined) return because("NotWritten", failure);
  if (condition === undefined)
    return because("Waiting", "the controller has not written the export's status yet");
  const { status, reason, message } = condition;
  return { pool: key, exported: status === "True", reason, message };
}

const importPage = (
  key: string,
  { import: it }: Pick<MemberView, "import">,
): ImportPage | undefined =>
  it?.entry && {
    name: key,
    clusters: it.entry.exporters,
    ready: it.entry.conditions.find(({ type }) => type === "Ready")?.status,
  };
