import { describe, expect, it } from "vitest";
import { cycleOf, endpoint, pluginOf, podsOf, type Surroundings } from "../../cycles.fixture.ts";
import type { Endpoint } from "../../endpoint.ts";
import type { Decider, ProfileResult } from "../../plugin.ts";
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

/** What a handler makes of a request, and the profiles that it ran. */
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

/** A decider that answers so, and notes whom it was asked about. */
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

describe("a request whose body nobody read", () => {
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
  ])(
    "a request whose body nobody read goes by %s %j to a decoder, and nobody else prefills it",
    (type, parameters) => {
      const found = unread(type, parameters, { deciders: decider(true).deciders });
      expect(found).toEqual({ ran: ["decode"], headers: [], prefillers: [] });
    },
  );

  it.each([
    [{ "epp-profile": "b" }, "b"],
    [{ "epp-profile": "unknown" }, "decode"],
    [{}, "decode"],
  ])(
    "a request whose body nobody read runs, with headers %j, profile %s of those chosen by header",
    (headers, profile) => {
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
    },
  );
});

describe("disagg-profile-handler", () => {
  const type = "disagg-profile-handler";
  const withDecider = { deciders: { prefill: "pd" } };
  const profilesOf = (parameters: object) =>
    disaggProfileHandler.profiles?.(disaggProfileHandler.parameters.parse(parameters));

  it("prefills elsewhere where the decider wants it, asked about the chosen decoder", () => {
    const { asked, deciders } = decider(true);
    const found = handle(type, withDecider, { deciders });
    expect(found).toMatchObject({ ran: ["decode", "prefill"], ...disaggregated });
    expect(asked).toEqual(["decoder"]);
  });

  it("decodes only where the decider does not", () => {
    const found = handle(type, withDecider, decider(false));
    expect(found).toMatchObject({ ran: ["decode"], ...decodeOnly });
  });

  it("decodes only without a decider, and needs no prefill profile", () => {
    const found = handle(type, {});
    expect(found).toMatchObject({ ran: ["decode"], ...decodeOnly });
    expect(profilesOf({})).toEqual(["decode"]);
    expect(profilesOf(withDecider)).toEqual(["decode", "prefill"]);
  });

  it("decodes only where there is no prefiller", () => {
    const parameters = { ...withDecider, profiles: { prefill: "none" } };
    const found = handle(type, parameters, decider(true));
    expect(found).toMatchObject({ ran: ["decode", "none"], ...decodeOnly });
  });

  it("has no result without a decoder, and asks nobody", () => {
    const { asked, deciders } = decider(true);
    const parameters = { ...withDecider, profiles: { decode: "none" } };
    const found = handle(type, parameters, { deciders });
    expect(found).toMatchObject({ ran: ["none"], primary: undefined, prefillers: [], headers: [] });
    expect(asked).toEqual([]);
  });

  it.each(["prefill-first", "prefill_first", "PrefillFirst", "prefill"])(
    "prefills every request elsewhere with stageOrder %s",
    (stageOrder) => {
      const found = handle(type, { stageOrder });
      expect(found).toMatchObject({ ran: ["prefill", "decode"], ...disaggregated });
      expect(profilesOf({ stageOrder })).toEqual(["decode", "prefill"]);
    },
  );

  it("decodes all the same where prefill-first finds no prefiller", () => {
    const found = handle(type, { stageOrder: "prefill-first", profiles: { prefill: "none" } });
    expect(found).toMatchObject({ ran: ["none", "decode"], ...decodeOnly });
  });

  it.each([["prefillDeciderPluginName"], ["deciderPluginName"]])(
    "takes the older, flat form with %s",
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
      "a prefiller that is chosen first",
      { stageOrder: "prefill-first", deciders: { encode: "pd" } },
      ["prefill", "encode", "decode"],
      [["x-prefiller-host-port", "[fd00::2]:8000"], encoders],
    ],
    [
      "a decoder, by the older form",
      { encodeProfile: "encode", encodeDeciderPluginName: "pd" },
      ["decode", "encode"],
      [encoders],
    ],
    [
      "nobody where there are none",
      { deciders: { encode: "pd" }, profiles: { encode: "none" } },
      ["decode", "none"],
      [],
    ],
  ])("names encoders for %s where the decider wants it", (_, parameters, ran, headers) => {
    expect(handle(type, parameters, decider(true))).toMatchObject({ ran, headers });
  });

  it("names no encoders where the decider does not want it, and needs their profile only with one", () => {
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

  it("asks prefix-based-pd-decider by default", () => {
    const { asked, deciders } = decider(true);
    const found = handle(type, {}, { deciders });
    expect(found).toMatchObject({ ran: ["decode", "prefill"], ...disaggregated });
    expect(asked).toEqual(["decoder"]);
  });

  it("asks the decider that is named, for the profiles that are", () => {
    const parameters = { decodeProfile: "default", deciderPluginName: "pd" };
    const found = handle(type, parameters, { deciders: { pd: decider(false).deciders.pd } });
    expect(found).toMatchObject({ ran: ["default"], ...decodeOnly });
  });

  it("goes to the primary port and names the rank", () => {
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

  it("goes to port 8000 and names the rank", () => {
    const { handler, result, ...found } = handle(type);
    expect(found).toMatchObject({
      ran: ["default"],
      primary: ["10.0.0.1:8000", "10.0.0.2:8000"],
      prefillers: [],
      headers: [["x-data-parallel-host-port", at]],
    });
    // What is counted and scored stays the rank's.
    expect(result.primary?.endpoints[0]?.live).toBe(decoder.live);
    expect(result.primary?.scored[0]?.endpoint.address).toBe(at);
  });

  it("takes another port, and has no result without an endpoint", () => {
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
    ["the default", {}, {}, "decode"],
    ["the one that the header names", {}, { "epp-profile": "prefill" }, "prefill"],
    ["it without blanks", {}, { "epp-profile": " prefill " }, "prefill"],
    ["another default", { defaultProfile: " prefill" }, {}, "prefill"],
    ["by another header", { headerName: " X-Stage " }, { "x-stage": "prefill" }, "prefill"],
    ["not by the usual one then", { headerName: "x" }, { "epp-profile": "prefill" }, "decode"],
  ])("runs %s", (_, parameters, headers, expected) => {
    expect(handle(type, parameters, { headers, profileNames }).ran).toEqual([expected]);
  });

  it("runs the only profile whatever the header says", () => {
    const around = { headers: { "epp-profile": "other" }, profileNames: ["default"] };
    expect(handle(type, {}, around)).toMatchObject({ ran: ["default"], ...decodeOnly });
  });

  it("refuses a profile that is not there", () => {
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
