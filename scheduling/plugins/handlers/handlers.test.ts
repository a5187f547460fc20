import { describe, expect, it } from "vitest";
import { cycleOf, endpoint, pluginOf, podsOf, type Surroundings } from "../../cycles.fixture.ts";
import type { Endpoint } from "../../endpoints/endpoint.ts";
import type { Decider } from "../../profiles/plugin.ts";
import type { ProfileResult } from "../../profiles/profile-result.ts";
import { disaggProfileHandler } from "./disagg-profile-handler.ts";
import { singleProfileHandler } from "./single-profile-handler.ts";

const decoder = endpoint("decoder", { ip: "10.0.0.1", port: 8001, rank: 1 });
const second = endpoint("second", { ip: "10.0.0.2", port: 8001, rank: 1 });
const prefiller = endpoint("prefiller", { ip: "fd00::2" });
const encoder = endpoint("encoder", { ip: "10.0.1.1" });
const otherEncoder = endpoint("other-encoder", { ip: "10.0.1.2" });

const resultOf = (...endpoints: Endpoint[]): ProfileResult => ({
  endpoints,
  scored: endpoints.map((each) => ({ endpoint: each, score: 1 })),
});

const results: Readonly<Record<string, ProfileResult | undefined>> = {
  decode: resultOf(decoder, second),
  prefill: resultOf(prefiller),
  encode: resultOf(encoder, otherEncoder),
  none: undefined,
  default: resultOf(decoder, second),
};

/** Runs a handler. Returns its result and the profiles that it ran. */
function handle(
  type: string,
  parameters: object = {},
  { headers = {}, ...around }: Surroundings & { headers?: Record<string, string> } = {},
) {
  const ran: string[] = [];
  const handler = pluginOf(type, parameters, around).profileHandler;
  if (handler === undefined) throw new Error(`${type} is not a profile handler`);
  const result = handler.handle(cycleOf([decoder], { headers }), (name) => {
    ran.push(name);
    return results[name];
  });
  return {
    ran,
    primary: result.primary?.endpoints.map(({ address }) => address),
    prefillers: podsOf(result.prefillers),
    headers: result.headers,
    handler,
    result,
  };
}

const at = "10.0.0.1:8001";
const decodeOnly = { primary: [at, "10.0.0.2:8001"], prefillers: [], headers: [] };
const disaggregated = {
  primary: [at, "10.0.0.2:8001"],
  prefillers: ["prefiller"],
  headers: [["x-prefiller-host-port", "[fd00::2]:8000"]],
};

/** Returns a decider with a fixed answer, which records the endpoints of its calls. */
function decider(answer: boolean) {
  const asked: Array<string | undefined> = [];
  const made: Decider = {
    disaggregate(_, endpoint) {
      asked.push(endpoint?.pod);
      return answer;
    },
  };
  return { asked, deciders: { pd: made, "prefix-based-pd-decider": made } };
}

describe("single-profile-handler", () => {
  it("runs the only profile, whatever its name", () => {
    const { handler, ...found } = handle(
      "single-profile-handler",
      {},
      { profileNames: ["decode"] },
    );
    expect(found).toMatchObject({ ran: ["decode"], ...decodeOnly });
    expect(singleProfileHandler.single).toBe(true);
  });
});

describe("a request whose body was not read", () => {
  const unread = (type: string, parameters: object, around: Surroundings = {}) => {
    const ran: string[] = [];
    const result = pluginOf(type, parameters, around).profileHandler?.handleUnread?.(
      cycleOf([decoder]),
      (name) => {
        ran.push(name);
        return results[name];
      },
    );
    return { ran, headers: result?.headers, prefillers: result?.prefillers };
  };

  it.each([
    ["disagg-profile-handler", { deciders: { prefill: "pd" } }],
    ["disagg-profile-handler", { stageOrder: "prefill-first" }],
    ["pd-profile-handler", { deciderPluginName: "pd" }],
  ])("is sent by %s %j to a decoder without a prefiller", (type, parameters) => {
    const found = unread(type, parameters, { deciders: decider(true).deciders });
    expect(found).toEqual({ ran: ["decode"], headers: [], prefillers: [] });
  });

  it.each([
    [{ "epp-profile": "b" }, "b"],
    [{ "epp-profile": "unknown" }, "decode"],
    [{}, "decode"],
  ])("runs, for headers %j, profile %s of header-profile-handler", (headers, profile) => {
    const ran: string[] = [];
    pluginOf(
      "header-profile-handler",
      {},
      { profileNames: ["b", "decode"] },
    ).profileHandler?.handleUnread?.(
      cycleOf([decoder], { headers: headers as Record<string, string> }),
      (name) => {
        ran.push(name);
        return undefined;
      },
    );
    expect(ran).toEqual([profile]);
  });
});

describe("disagg-profile-handler", () => {
  const type = "disagg-profile-handler";
  const withDecider = { deciders: { prefill: "pd" } };
  const profilesOf = (parameters: object) =>
    disaggProfileHandler.profiles?.(disaggProfileHandler.parameters.parse(parameters));

  it("uses a prefiller if the decider requests one for the selected decoder", () => {
    const { asked, deciders } = decider(true);
    const found = handle(type, withDecider, { deciders });
    expect(found).toMatchObject({ ran: ["decode", "prefill"], ...disaggregated });
    expect(asked).toEqual(["decoder"]);
  });

  it("only decodes if the decider requests no prefiller", () => {
    const found = handle(type, withDecider, decider(false));
    expect(found).toMatchObject({ ran: ["decode"], ...decodeOnly });
  });

  it("only decodes without a decider, and needs no prefill profile", () => {
    const found = handle(type, {});
    expect(found).toMatchObject({ ran: ["decode"], ...decodeOnly });
    expect(profilesOf({})).toEqual(["decode"]);
    expect(profilesOf(withDecider)).toEqual(["decode", "prefill"]);
  });

  it("only decodes if no prefiller is found", () => {
    const parameters = { ...withDecider, profiles: { prefill: "none" } };
    const found = handle(type, parameters, decider(true));
    expect(found).toMatchObject({ ran: ["decode", "none"], ...decodeOnly });
  });

  it("has no result without a decoder, and calls no decider", () => {
    const { asked, deciders } = decider(true);
    const parameters = { ...withDecider, profiles: { decode: "none" } };
    const found = handle(type, parameters, { deciders });
    expect(found).toMatchObject({ ran: ["none"], primary: undefined, prefillers: [], headers: [] });
    expect(asked).toEqual([]);
  });

  it.each(["prefill-first", "prefill_first", "PrefillFirst", "prefill"])(
    "uses a prefiller for every request with stageOrder %s",
    (stageOrder) => {
      const found = handle(type, { stageOrder });
      expect(found).toMatchObject({ ran: ["prefill", "decode"], ...disaggregated });
      expect(profilesOf({ stageOrder })).toEqual(["decode", "prefill"]);
    },
  );

  it.each([
    ["decode-first", "a", ["prefiller-a"]],
    ["decode-first", "c", []],
    ["prefill-first", "a", ["prefiller-a"]],
  ])(
    "with sameKvFormat and %s, a decoder of format %s uses prefillers %j",
    (order, format, pods) => {
      const withFormat = (name: string, kvFormat: string) => ({ ...endpoint(name), kvFormat });
      const parameters = {
        ...{ stageOrder: order, sameKvFormat: true },
        ...(order === "decode-first" && { deciders: { prefill: "pd" } }),
      };
      const { profileHandler } = pluginOf("disagg-profile-handler", parameters, decider(true));
      const inPool: Record<string, Endpoint[]> = {
        decode: [withFormat("decoder", format), withFormat("decoder-b", "b")],
        prefill: [withFormat("prefiller-a", "a"), withFormat("prefiller-b", "b")],
      };
      const found = profileHandler?.handle(cycleOf([decoder], {}), (name, fitting) =>
        resultOf(...(fitting ?? ((all) => all))(inPool[name] ?? [])),
      );
      expect(podsOf(found?.prefillers ?? [])).toEqual(pods);
      expect(podsOf(found?.primary?.endpoints ?? [])[0]).toBe("decoder");
    },
  );

  it("decodes even if prefill-first finds no prefiller", () => {
    const found = handle(type, { stageOrder: "prefill-first", profiles: { prefill: "none" } });
    expect(found).toMatchObject({ ran: ["none", "decode"], ...decodeOnly });
  });

  it.each([["prefillDeciderPluginName"], ["deciderPluginName"]])(
    "reads the older, flat parameters with %s",
    (field) => {
      const parameters = { decodeProfile: "default", prefillProfile: "", [field]: "pd" };
      const found = handle(type, parameters, decider(true));
      expect(found).toMatchObject({ ran: ["default", "prefill"], ...disaggregated });
    },
  );

  const encoders = ["x-encoder-hosts-ports", "10.0.1.1:8000,10.0.1.2:8000"];
  it.each<[string, object, string[], string[][]]>([
    ["a decoder", { deciders: { encode: "pd" } }, ["decode", "encode"], [encoders]],
    [
      "a decoder, before its prefiller",
      { deciders: { encode: "pd", prefill: "pd" } },
      ["decode", "encode", "prefill"],
      [["x-prefiller-host-port", "[fd00::2]:8000"], encoders],
    ],
    [
      "a prefiller that is selected first",
      { stageOrder: "prefill-first", deciders: { encode: "pd" } },
      ["prefill", "encode", "decode"],
      [["x-prefiller-host-port", "[fd00::2]:8000"], encoders],
    ],
    [
      "a decoder, with flat parameters",
      { encodeProfile: "encode", encodeDeciderPluginName: "pd" },
      ["decode", "encode"],
      [encoders],
    ],
    [
      "no endpoint if none is found",
      { deciders: { encode: "pd" }, profiles: { encode: "none" } },
      ["decode", "none"],
      [],
    ],
  ])("names encoders for %s if the decider requests them", (_, parameters, ran, headers) => {
    expect(handle(type, parameters, decider(true))).toMatchObject({ ran, headers });
  });

  it("names no encoders unless the decider requests them, and needs their profile only with a decider", () => {
    const parameters = { deciders: { encode: "pd" } };
    expect(handle(type, parameters, decider(false))).toMatchObject({
      ran: ["decode"],
      headers: [],
    });
    expect(profilesOf(parameters)).toEqual(["decode", "encode"]);
    expect(profilesOf({})).toEqual(["decode"]);
  });

  it.each([
    [{ stageOrder: "encode-first" }, '"encode-first" is not a stage order'],
    [{ stageOrder: "prefill-first", deciders: { prefill: "pd" } }, "leave the decider out"],
    [{ deciders: {}, decodeProfile: "decode" }, 'Unrecognized key: "decodeProfile"'],
    [{ profiles: { decoder: "x" } }, 'Unrecognized key: "decoder"'],
    [{ primaryPort: 8000 }, 'Unrecognized key: "primaryPort"'],
  ])("refuses %j", (parameters, message) => {
    expect(() => pluginOf(type, parameters)).toThrow(message.replaceAll('"', '\\"'));
  });
});

describe("pd-profile-handler", () => {
  const type = "pd-profile-handler";

  it("calls prefix-based-pd-decider by default", () => {
    const { asked, deciders } = decider(true);
    const found = handle(type, {}, { deciders });
    expect(found).toMatchObject({ ran: ["decode", "prefill"], ...disaggregated });
    expect(asked).toEqual(["decoder"]);
  });

  it("calls the named decider, and runs the named profiles", () => {
    const parameters = { decodeProfile: "default", deciderPluginName: "pd" };
    const found = handle(type, parameters, { deciders: { pd: decider(false).deciders.pd } });
    expect(found).toMatchObject({ ran: ["default"], ...decodeOnly });
  });

  it("sends the request to the primary port, with the rank in a header", () => {
    const found = handle(type, { primaryPort: 9000 }, decider(true));
    expect(found.primary).toEqual(["10.0.0.1:9000", "10.0.0.2:9000"]);
    expect(found.headers).toEqual([
      ["x-prefiller-host-port", "[fd00::2]:8000"],
      ["x-data-parallel-host-port", at],
    ]);
  });

  it.each([[{ deciderPluginName: "" }], [{ primaryPort: 65_536 }], [{ encodeProfile: "e" }]])(
    "refuses %j",
    (parameters) => {
      expect(() => pluginOf(type, parameters)).toThrow();
    },
  );
});

describe("data-parallel-profile-handler", () => {
  const type = "data-parallel-profile-handler";

  it("sends the request to port 8000, with the rank in a header", () => {
    const { handler, result, ...found } = handle(type);
    expect(found).toMatchObject({
      ran: ["default"],
      primary: ["10.0.0.1:8000", "10.0.0.2:8000"],
      prefillers: [],
      headers: [["x-data-parallel-host-port", at]],
    });
    // Counts and scores still belong to the rank.
    expect(result.primary?.endpoints[0]?.live).toBe(decoder.live);
    expect(result.primary?.scored[0]?.endpoint.address).toBe(at);
  });

  it("uses the configured port, and has no result without an endpoint", () => {
    expect(handle(type, { primaryPort: 1 }).primary?.[0]).toBe("10.0.0.1:1");
    const found = handle(type, {}, { profileNames: ["none"] });
    expect(found).toMatchObject({ primary: undefined, headers: [] });
  });

  it.each([[0], [65_536], [1.5]])("refuses port %d", (primaryPort) => {
    expect(() => pluginOf(type, { primaryPort })).toThrow();
  });
});

describe("header-profile-handler", () => {
  const type = "header-profile-handler";
  const profileNames = ["decode", "prefill"];

  it.each([
    ["the default profile", {}, {}, "decode"],
    ["the profile in the header", {}, { "epp-profile": "prefill" }, "prefill"],
    ["the profile in the header without blanks", {}, { "epp-profile": " prefill " }, "prefill"],
    ["the configured default profile", { defaultProfile: " prefill" }, {}, "prefill"],
    [
      "the profile in the configured header",
      { headerName: " X-Stage " },
      { "x-stage": "prefill" },
      "prefill",
    ],
    [
      "the default profile if only another header is set",
      { headerName: "x" },
      { "epp-profile": "prefill" },
      "decode",
    ],
  ])("runs %s", (_, parameters, headers, expected) => {
    expect(handle(type, parameters, { headers, profileNames }).ran).toEqual([expected]);
  });

  it("runs the only profile, whatever the header", () => {
    const around = { headers: { "epp-profile": "other" }, profileNames: ["default"] };
    expect(handle(type, {}, around)).toMatchObject({ ran: ["default"], ...decodeOnly });
  });

  it("refuses an unknown profile", () => {
    const around = { headers: { "epp-profile": "other" }, profileNames };
    expect(() => handle(type, {}, around)).toThrow(
      expect.objectContaining({
        code: "BadRequest",
        message: 'no scheduling profile "other", which header epp-profile requests',
      }),
    );
    expect(() => handle(type, { defaultProfile: "x" }, { profileNames })).toThrow(
      'header epp-profile must name a scheduling profile: there is no default "x"',
    );
  });
});
