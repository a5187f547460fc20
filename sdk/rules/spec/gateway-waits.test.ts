import { expect, it } from "vitest";
import { router, service, worker } from "../../../testing/samples/sample-service.ts";
import { formatPath, type Problem } from "../../errors.ts";
import { planInferenceService } from "../../plan/inference-service.ts";
import { planLLMServerPool } from "../../plan/pools/pool.ts";
import { parseKind } from "../../validate/spec-kind.ts";
import { llmServerPoolSpecKind } from "../../validate/spec-kinds.ts";

const told = (plan: (onAdvice: (problem: Problem) => void) => void): string[] => {
  const said: string[] = [];
  plan(({ path, given }) => said.push(`${formatPath(path)} ${given}`));
  return said;
};

const ofRouter = (fields: object) =>
  told((onAdvice) => planInferenceService(service([worker(), router(fields)]), { onAdvice }));

const ofPool = (fields: object) =>
  told((onAdvice) =>
    planLLMServerPool(
      parseKind(llmServerPoolSpecKind, {
        metadata: { name: "pool", namespace: "default" },
        spec: { modelServerSelector: { app: "a" }, ...fields },
      }),
      { onAdvice },
    ),
  );

const nginx = { gateway: { type: "ngf" } };
const waits = (requestTimeoutSeconds: number, more: object = {}) => ({
  flowControl: { requestTimeoutSeconds, ...more },
});

it("a picker wait longer than the gateway's timeout causes a warning", () => {
  expect(ofRouter({ ...nginx, ...waits(60) })).toEqual([
    "roles[1].flowControl.requestTimeoutSeconds is 60, and ngf waits at most 60 s for the picker",
  ]);
  expect(ofPool({ ...nginx, ...waits(59, { noServerTimeoutSeconds: 90 }) })).toEqual([
    "flowControl.noServerTimeoutSeconds is 90, and ngf waits at most 60 s for the picker",
  ]);
});

it("a picker wait longer than the route's timeout causes a warning", () => {
  const route = (request: string) => ({
    httproute: { rules: [{}, { timeouts: { request } }], parentRefs: [{ name: "gateway" }] },
  });
  expect(ofRouter({ ...route("10s"), ...waits(10) })).toEqual([
    "roles[1].flowControl.requestTimeoutSeconds is 10, and httproute.rules[1].timeouts.request is 10s",
  ]);
  expect(ofRouter({ ...route("10s"), ...waits(9) })).toEqual([]);
  expect(ofRouter({ ...route("0s"), ...waits(10) })).toEqual([]);
});

it("waits below the gateway's timeout and waits with flow control off cause no warning", () => {
  expect(ofRouter(nginx)).toEqual([]);
  expect(ofRouter({ ...nginx, ...waits(59) })).toEqual([]);
  expect(ofRouter({ ...nginx, ...waits(90, { enabled: false }) })).toEqual([]);
  expect(ofPool(waits(3_600))).toEqual([]);
});
