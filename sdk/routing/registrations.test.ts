import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aged, model, routedPool, service, targets } from "./objects.fixture.ts";
import { type LLMServiceObject, registrantsOf, registrationsOf } from "./registrations.ts";

const pool = routedPool({ registrationRequired: true, allowedNamespaces: ["x", "y"] });

const owners = (registrants: readonly LLMServiceObject[]) =>
  Object.fromEntries(
    [...registrationsOf(pool, registrants).byModel].map(([name, { service }]) => [name, service]),
  );
const m = [model("m")];

describe("owner of a name", () => {
  it.each([
    ["the older service", [service("a", m, aged(2)), service("b", m, aged(1))], "default/b"],
    [
      "the first name among services of the same age",
      [service("b", m), service("a", m)],
      "default/a",
    ],
    [
      "the first namespace among services of the same age, for any names",
      [service("a", m, { namespace: "y" }), service("b", m, { namespace: "x" })],
      "x/b",
    ],
    [
      "a service of a file, which has no age",
      [service("a", m), service("b", m, { creationTimestamp: "" })],
      "default/b",
    ],
    [
      "not a service with a timestamp in the future",
      [service("a", m, { creationTimestamp: "2126-01-01T00:00:00Z" }), service("b", m)],
      "default/b",
    ],
    [
      "a service with a timestamp in the future, if it has no competitor",
      [service("a", m, { creationTimestamp: "2126-01-01T00:00:00Z" })],
      "default/a",
    ],
  ])("%s", (_, registrants, winner) => {
    expect(owners(registrants)).toEqual({ m: winner });
  });
});

it("a service that loses a name keeps its other names and learns the winner", () => {
  const registrants = [
    service("old", [model("m"), model("n")]),
    service("new", [model("l"), model("m"), model("o")], aged(1)),
  ];
  expect(owners(registrants)).toEqual({
    m: "default/old",
    n: "default/old",
    l: "default/new",
    o: "default/new",
  });
  expect(registrationsOf(pool, registrants).lost).toEqual([
    { model: "m", service: "default/new", why: "taken", winner: "default/old" },
  ]);
});

it("the first entry counts if a service lists a name twice", () => {
  const { byModel, lost } = registrationsOf(pool, [
    service("a", [model("m", { targets: targets(["first"]) }), model("m")]),
  ]);
  expect(byModel.get("m")?.targets).toEqual(targets(["first"]));
  expect(lost).toEqual([]);
});

it.each([
  ["a model without targets itself as the target", [], [["m"]]],
  ["a model with unweighted targets all of them", [["a"], ["b"]], [["a"], ["b"]]],
  [
    "a model no target of weight 0",
    [
      ["a", 0],
      ["b", 3],
    ],
    [["b", 3]],
  ],
  ["a reserved name no target", [["a", 0]], []],
] as ReadonlyArray<[string, Array<[string, number?]>, Array<[string, number?]>]>)(
  "registrationsOf gives %s",
  (_, given, expected) => {
    const { byModel } = registrationsOf(pool, [
      service("a", [model("m", { targets: targets(...given) })]),
    ]);
    expect(byModel.get("m")?.targets).toEqual(targets(...expected));
  },
);

describe("registrationsOf for arbitrary services", () => {
  const names = fc.constantFrom("k", "l", "m", "n");
  const services = fc
    .uniqueArray(
      fc.record({
        namespace: fc.constantFrom("x", "y"),
        name: fc.constantFrom("a", "b", "c", "d"),
        second: fc.integer({ min: 0, max: 2 }),
        models: fc.uniqueArray(names, { maxLength: 4 }),
      }),
      { selector: ({ namespace, name }) => `${namespace}/${name}`, maxLength: 8 },
    )
    .map((list) =>
      list.map(({ namespace, name, second, models }) =>
        service(
          name,
          models.map((each) => model(each)),
          { namespace, ...aged(second) },
        ),
      ),
    );
  const sorted = (list: LLMServiceObject[]) => {
    const { byModel, lost } = registrationsOf(pool, list);
    const bySpelling = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    return { byModel: [...byModel].sort(bySpelling), lost: [...lost].sort(bySpelling) };
  };

  it("the result does not depend on the order of the services", () => {
    fc.assert(
      fc.property(
        services.chain((list) =>
          fc.tuple(
            fc.constant(list),
            fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
          ),
        ),
        ([list, shuffled]) => {
          expect(sorted(shuffled)).toEqual(sorted(list));
        },
      ),
    );
  });

  it("each service owns or loses each of its names exactly once", () => {
    fc.assert(
      fc.property(services, (list) => {
        const { byModel, lost } = registrationsOf(pool, list);
        const told = [
          ...[...byModel].map(([name, registration]) => `${registration.service} ${name}`),
          ...lost.map((each) => `${each.service} ${each.model}`),
        ];
        const asked = list.flatMap(({ namespace, name, models }) =>
          models.map((each) => `${namespace}/${name} ${each.name}`),
        );
        expect(told.sort()).toEqual(asked.sort());
        for (const { model: name, winner } of lost) expect(byModel.get(name)?.service).toBe(winner);
      }),
    );
  });

  it("if a service is deleted, other services keep their names and take over its names", () => {
    fc.assert(
      fc.property(services, (list) => {
        const [gone, ...rest] = list;
        if (gone === undefined) return;
        const before = registrationsOf(pool, list);
        const after = registrationsOf(pool, rest);
        for (const [name, { service: owner }] of before.byModel)
          if (owner !== `${gone.namespace}/${gone.name}`)
            expect(after.byModel.get(name)?.service).toBe(owner);
        for (const { model: name } of before.lost)
          if (rest.some(({ models }) => models.some((each) => each.name === name)))
            expect(after.byModel.has(name)).toBe(true);
      }),
    );
  });
});

it.each([
  ["names the pool from its own namespace", {}, {}, true],
  ["names another pool", { pools: [{ namespace: "default", name: "other" }] }, {}, false],
  [
    "names a pool of that name elsewhere",
    { pools: [{ namespace: "elsewhere", name: "pool" }] },
    {},
    false,
  ],
  [
    "names the pool and another one",
    {
      pools: [
        { namespace: "default", name: "other" },
        { namespace: "default", name: "pool" },
      ],
    },
    {},
    true,
  ],
  ["is of a namespace that is not admitted", { namespace: "team" }, {}, false],
  [
    "is of a namespace that is admitted",
    { namespace: "team" },
    { allowedNamespaces: ["other", "team"] },
    true,
  ],
])(
  "registrantsOf decides whether a service may use the pool if it %s",
  (_, change, given, uses) => {
    const one = service("a", m, change);
    expect(registrantsOf(routedPool(given), [one])).toEqual(uses ? [one] : []);
  },
);

describe("B5: a team in an admitted namespace", () => {
  const base = "meta-llama/Llama-2-7b-hf";
  const team = service("takes", [model(base, { targets: targets(["team-a-lora"]) })], {
    namespace: "x",
  });
  const closing = service("closes", [model(base, { targets: targets(["any", 0]) })], {
    namespace: "x",
  });
  const owner = service("base", [model(base)], aged(9));
  const open = { allowedNamespaces: ["x"] };
  const required = { ...open, registrationRequired: true };
  const grants = (...models: string[]) => ({ modelsOf: new Map([["x", models]]) });

  it.each([
    ["cannot take a reserved name", { ...required, reservedModels: [base] }, [team], "reserved"],
    [
      "cannot close a reserved name",
      { ...open, reservedModels: ["meta-llama/*"] },
      [closing],
      "reserved",
    ],
    [
      "cannot get a reserved name by a grant",
      { ...open, reservedModels: [base], ...grants("*") },
      [team],
      "reserved",
    ],
    [
      "gets only the names in its list",
      { ...required, ...grants("games-*") },
      [team],
      "not-granted",
    ],
    ["gets no name with an empty list", { ...required, ...grants() }, [team], "not-granted"],
    ["cannot take a name if registration is optional", open, [team], "ownership-unset"],
    ["cannot close a name if registration is optional", open, [closing], "ownership-unset"],
    [
      "loses a name to an LLMService in the pool's namespace that is younger",
      required,
      [team, owner],
      "taken",
    ],
  ])("%s", (_, change, services, why) => {
    const { byModel, lost } = registrationsOf(routedPool(change), services);
    expect(lost).toEqual([
      {
        ...{ model: base, service: `x/${services[0]?.name}`, why },
        winner: services.length > 1 ? "default/base" : undefined,
      },
    ]);
    expect(byModel.get(base)?.service).toBe(services.length > 1 ? "default/base" : undefined);
  });

  it.each([
    ["that its list contains", grants(base)],
    ["that a prefix in its list matches", grants("games-*", "meta-*")],
    ["if the pool's owner reserves no name", { reservedModels: [] }],
    ["if registration is required", { registrationRequired: true }],
  ])("gets names %s", (_, change) => {
    expect(registrationsOf(routedPool({ ...open, ...change }), [team]).lost).toEqual([]);
  });
});
