import { expect, test } from "vitest";
import { Inheritance } from "./inheritance.ts";
import { resource } from "./protos.ts";
import { type Registration, readRegistration } from "./registration.ts";

// The Node.js SDK passes most options to children itself. The SDKs of other languages leave that to the engine.

const PROVIDER = "urn:pulumi:dev::proj::pulumi:providers:kubernetes::p::id";
const OTHER = "urn:pulumi:dev::proj::pulumi:providers:random::r::id";

type Request = InstanceType<typeof resource.RegisterResourceRequest>;

function registration(type: string, parent: string, set: (request: Request) => void = () => {}) {
  const request = new resource.RegisterResourceRequest();
  request.setType(type);
  request.setName("name");
  request.setCustom(type.startsWith("kubernetes:"));
  request.setParent(parent);
  request.setAliasspecs(true);
  set(request);
  return readRegistration(request);
}

/** Registers a component with a nested component, and returns the options of a custom resource in the latter. */
function optionsBelow(component: Registration, set?: (request: Request) => void) {
  const inheritance = new Inheritance();
  const register = (urn: string, made: Registration) => {
    inheritance.apply(made);
    inheritance.addProviders(made);
    inheritance.remember(urn, made, made.options.getProvider(), []);
    const { options } = made;
    return {
      protect: options.getProtect(),
      retainOnDelete: options.getRetainOnDelete(),
      deletedWith: options.getDeletedWith(),
      provider: options.getProvider(),
      ignoreChanges: options.getIgnoreChangesList(),
      replaceOnChanges: options.getReplaceOnChangesList(),
    };
  };
  register("outer", component);
  register("inner", registration("a:b:C", "outer"));
  return register("leaf", registration("kubernetes:core/v1:ConfigMap", "inner", set));
}

const component = registration("a:b:C", "", (request) => {
  request.setProtect(true);
  request.setRetainondelete(true);
  request.setDeletedwith("whole");
  request.setIgnorechangesList(["a"]);
  request.setReplaceonchangesList(["a"]);
  request.getProvidersMap().set("kubernetes", PROVIDER).set("random", OTHER);
});

test("a component passes some options to its children and grandchildren", () => {
  expect(optionsBelow(component)).toMatchObject({
    protect: true,
    retainOnDelete: true,
    deletedWith: "whole",
    provider: PROVIDER,
    ignoreChanges: [],
    replaceOnChanges: [],
  });
});

test("an option of a child overrides the inherited option", () => {
  const options = optionsBelow(component, (request) => {
    request.setProtect(false);
    request.setRetainondelete(false);
    request.setDeletedwith("other");
    request.setProvider("own::id");
  });
  expect(options).toMatchObject({
    protect: false,
    retainOnDelete: false,
    deletedWith: "other",
    provider: "own::id",
  });
});

test("a provider is inherited only by resources of its package", () => {
  const single = (provider: string) =>
    registration("a:b:C", "", (request) => request.setProvider(provider));
  expect(optionsBelow(single(PROVIDER)).provider).toBe(PROVIDER);
  expect(optionsBelow(single(OTHER)).provider).toBe("");
});
