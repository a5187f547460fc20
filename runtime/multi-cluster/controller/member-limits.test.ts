import { expect, it } from "vitest";
import type { Limit } from "../../../scheduling/limits.ts";
import { planClusterSet } from "../../../sdk/plan/multi-cluster/cluster-set.ts";
import { parseKind } from "../../../sdk/validate/spec-kind.ts";
import { clusterSetSpecKind } from "../../../sdk/validate/spec-kinds.ts";
import { limits } from "../../limits.ts";
import { readCommandLine } from "../../manager/program.ts";
import { program as picker } from "../../programs/endpoint-picker/program.ts";
import { defaultMemberLimits } from "./member-limits.ts";
import { program } from "./program.ts";

const member = "--member=east=kubeconfig";
const limitsOf = (...args: string[]) => {
  const read = readCommandLine(program, [member, ...args]);
  return read.kind === "run" ? read.options.limits : read;
};

it("limits of members default to the table of limits", () => {
  expect(limitsOf()).toEqual(defaultMemberLimits);
  expect(defaultMemberLimits).toMatchObject({
    answers: { answerBytes: 2 ** 24, eventBytes: 2 ** 22, pages: 1_000, listMs: 120_000 },
    objects: { pools: 2_000, imports: 2_000, routes: 5_000, gateways: 1_000, services: 20_000 },
    objectCharacters: 65_536,
  });
});

it("limits of members are set by flags", () => {
  expect(
    limitsOf(
      ...["--member-max-response-size=1MiB", "--member-max-event-size=2k", "--member-max-pages=3"],
      ...["--member-list-timeout=4s", "--member-max-pools=5", "--member-max-routes=6"],
      ...["--member-max-gateways=7", "--member-max-objects=8", "--member-max-object-size=9k"],
    ),
  ).toEqual({
    answers: {
      ...{ answerBytes: 2 ** 20, eventBytes: 2_000, pages: 3, listMs: 4_000 },
      ...{ objects: 8, pageSize: 100 },
    },
    objects: {
      ...{ pools: 5, imports: 5, routes: 6, gateways: 7 },
      ...{ services: 8, endpointSlices: 8, namespaces: 8 },
    },
    objectCharacters: 9_000,
  });
});

it("limits of members are set by a planned cluster set", () => {
  const memberLimits = {
    ...{ responseSize: "1MiB", eventSize: "2k", objectSize: "9k", pages: 3, listTimeout: "4s" },
    ...{ pools: 5, routes: 6, gateways: 7, objects: 8 },
  };
  const plan = planClusterSet(
    parseKind(clusterSetSpecKind, {
      metadata: { name: "set", namespace: "system" },
      spec: { members: [{ name: "east", kubeconfigSecret: "east" }], memberLimits },
    }),
  );
  const { spec } = plan.find(({ kind }) => kind === "Deployment") as unknown as {
    spec: { template: { spec: { containers: [{ args: string[] }] } } };
  };
  const [, ...args] = spec.template.spec.containers[0].args;
  const read = readCommandLine(program, args);
  expect(read.kind === "run" ? read.options.limits : read).toMatchObject({
    answers: { answerBytes: 2 ** 20, eventBytes: 2_000, pages: 3, listMs: 4_000 },
    objects: { pools: 5, routes: 6, gateways: 7, services: 8 },
    objectCharacters: 9_000,
  });
});

it("each limit with a flag has this flag in the help of a program", () => {
  const help = [readCommandLine(program, ["--help"]), readCommandLine(picker, ["--help"])]
    .map((read) => (read.kind === "help" ? read.text : ""))
    .join("\n");
  for (const { flag } of Object.values<Limit>(limits)) if (flag) expect(help).toContain(flag);
});
