import { describe, expect, it } from "vitest";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { model, objects, pool, rewriteObject, service } from "../datastore/objects.fixture.ts";
import type { PoolObjects } from "../datastore/pool-objects.ts";
import { emptySnapshot, snapshotOf } from "../datastore/snapshot.ts";
import type { Payload } from "../payload/payload.ts";
import { requestedModel } from "./requested-model.ts";

const payload = (name: string | undefined, modelSpans: Payload["modelSpans"] = []): Payload => ({
  parser: "openai-parser",
  body: Buffer.alloc(0),
  needsModel: true,
  model: name,
  modelSpans,
  engineFields: [],
  tokenInput: undefined,
  streaming: false,
  continues: undefined,
  keeps: undefined,
  prompts: [],
  tokensBeyond: 0,
  cacheSalt: "",
});

const snapshot = (change: Partial<PoolObjects>) => snapshotOf(objects(change), emptySnapshot);
const rewrites = [
  rewriteObject("r", [
    { models: ["m"], targets: [{ model: "t", weight: 1 }] },
    { models: ["empty"], targets: [] },
    {
      models: ["two"],
      targets: [
        { model: "t1", weight: 1 },
        { model: "t2", weight: 1 },
      ],
    },
  ]),
];
const services = [
  service("s", [
    model("plain"),
    model("split", { targets: [{ model: "v1", weight: 1 }] }),
    model("reserved", { targets: [{ model: "soon", weight: 0 }] }),
  ]),
];
const required = pool({ registrationRequired: true });
const table = snapshot({ rewrites });
const generic = snapshot({
  rewrites: [
    rewriteObject("g", [{ models: undefined, targets: [{ model: "any", weight: undefined }] }]),
  ],
});
const open = snapshot({ services });
const closed = snapshot({ services, rewrites, pool: required });
const trust = { trustModelNameHeader: true, modelRewriteHeader: true };
const distrust = { trustModelNameHeader: false, modelRewriteHeader: true };
const target = "x-llm-d-model-name-rewrite";

const requested = (
  name: string | undefined,
  pool: typeof table,
  headers: Record<string, string> = {},
  options = distrust,
) => requestedModel(payload(name), new Map(Object.entries(headers)), pool, () => 0, options);

describe("the target model", () => {
  it.each([
    ["a rule's target", "m", {}, table, distrust, "t"],
    ["the model itself", "other", {}, table, distrust, "other"],
    ["the model itself if its rule has no targets", "empty", {}, table, distrust, "empty"],
    ["the header's if no rule matches", "other", { [target]: "h" }, table, distrust, "h"],
    ["a rule's rather than the header's", "m", { [target]: "h" }, table, distrust, "t"],
    ["the generic rule's for a body without a model", undefined, {}, generic, distrust, "any"],
    ["its service's", "split", {}, open, distrust, "v1"],
    ["its service's rather than the header's", "split", { [target]: "h" }, open, distrust, "v1"],
    [
      "the model itself if its service sets no target, whatever the header",
      "plain",
      { [target]: "h" },
      open,
      distrust,
      "plain",
    ],
    [
      "the header's if no service registers the model",
      "other",
      { [target]: "h" },
      open,
      distrust,
      "h",
    ],
    [
      "a rule's, whatever X-Gateway-Model-Name a client sends",
      "m",
      { "x-gateway-model-name": "m" },
      table,
      distrust,
      "t",
    ],
    [
      "a rule's if a trusted router names the same model",
      "m",
      { "x-gateway-model-name": "m" },
      table,
      trust,
      "t",
    ],
    [
      "a rule's if a trusted router names another model",
      "m",
      { "x-gateway-model-name": "x" },
      table,
      trust,
      "t",
    ],
    [
      "the target that the router drew from the rule",
      "two",
      { [target]: "t2" },
      table,
      trust,
      "t2",
    ],
    [
      "a rule's if the router drew a target that the rule does not have",
      "two",
      { [target]: "plain" },
      table,
      trust,
      "t1",
    ],
    [
      "the router's for a model of another pool",
      "elsewhere",
      { "x-gateway-model-name": "other", [target]: "other" },
      table,
      trust,
      "other",
    ],
    [
      "a rule's for the model that the router named",
      "elsewhere",
      { "x-gateway-model-name": "m", [target]: "m" },
      table,
      trust,
      "t",
    ],
    [
      "the router's if its service sets no target",
      "elsewhere",
      { "x-gateway-model-name": "plain", [target]: "plain" },
      closed,
      trust,
      "plain",
    ],
    [
      "the model itself if no router is trusted",
      "elsewhere",
      { "x-gateway-model-name": "m" },
      table,
      distrust,
      "elsewhere",
    ],
  ])("is %s", (_, name, headers, pool, options, expected) => {
    const choice = requested(name, pool, headers, options);
    expect(choice.targetModel).toBe(expected);
    expect(choice.model).toBe(name ?? "");
  });

  it("is empty for a body that is not read", () => {
    const unread = { ...payload(undefined), modelSpans: undefined };
    for (const pool of [generic, open])
      expect(requestedModel(unread, new Map(), pool, () => 0, distrust).targetModel).toBe("");
  });

  it("a body that is not read is refused if registration is required", () => {
    const unread = { ...payload(undefined), modelSpans: undefined };
    expect(() => requestedModel(unread, new Map(), closed, () => 0, distrust)).toThrow(
      new RequestError("BadRequest", "model not found in request body"),
    );
  });
});

it("the rewrite header of a client is used only if enabled, and refused if its name is too long", () => {
  const closedHeader = { ...distrust, modelRewriteHeader: false };
  expect(requested("other", table, { [target]: "h" }, closedHeader).targetModel).toBe("other");
  expect(() => requested("other", table, { [target]: "h".repeat(254) })).toThrow(
    "the name of the model is longer than 253 bytes",
  );
});

it("the choice names the rewrite or the service that decided", () => {
  expect(requested("m", table)).toMatchObject({ rewrite: "default/r", service: undefined });
  expect(requested("split", closed)).toMatchObject({ rewrite: undefined, service: "default/s" });
  expect(requested("other", table)).toMatchObject({ rewrite: undefined, service: undefined });
});

it("the priority of a body that is not read is left to its InferenceObjective", () => {
  const unread = { ...payload(undefined), modelSpans: undefined };
  const priority = (pool: typeof table) =>
    requestedModel(unread, new Map(), pool, () => 0, distrust).priority;
  expect([priority(table), priority(open)]).toEqual([undefined, undefined]);
});

describe("a request is refused", () => {
  const missing = new RequestError("BadRequest", "model not found in request body");
  const notFound = (message: string) =>
    new RequestError("NotFound", message, { apiCode: "model_not_found" });
  it.each([
    ["without a model", undefined, table, missing],
    ["without a model if registration is required", undefined, closed, missing],
    [
      "for an unregistered model if registration is required",
      "other",
      closed,
      notFound("The model `other` is not registered on pool default/pool"),
    ],
    [
      "for an unregistered model with a rewrite if registration is required",
      "m",
      closed,
      notFound("The model `m` is not registered on pool default/pool"),
    ],
    [
      "for a target name that is not registered as a model",
      "v1",
      closed,
      notFound("The model `v1` is not registered on pool default/pool"),
    ],
    [
      "for a name that is only reserved",
      "reserved",
      open,
      notFound("There is no valid target model for `reserved` on pool default/pool"),
    ],
  ])("%s", (_, name, pool, error) => {
    expect(() => requested(name, pool)).toThrow(error);
  });

  it("for a model that a router sent here and no service registers", () => {
    const header = { "x-gateway-model-name": "other", [target]: "other" };
    expect(() => requested("elsewhere", closed, header, trust)).toThrow(
      notFound("The model `other` is not registered on pool default/pool"),
    );
  });

  it("for an unregistered model, whatever model its header names", () => {
    for (const name of ["other", "reserved"])
      expect(() => requested(name, closed, { [target]: "plain" })).toThrow(RequestError);
  });
});
