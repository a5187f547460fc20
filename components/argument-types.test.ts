import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { describe, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { componentArguments } from "../sdk/spec/components.ts";
import type * as args from "./generated/args.ts";
import type * as elsewhere from "./generated/args-of-other-languages.ts";
import type {
  ContainerArgs,
  PodSpecArgs,
  PodTemplateArgs,
  ResourceRequirementsArgs,
} from "./pod-template.ts";
import type * as podsElsewhere from "./pod-template-of-other-languages.ts";

/** Compares the generated types with the types that TypeScript infers from the schemas. */

/** Input of a schema, by component. */
type Inputs = {
  [Component in keyof typeof componentArguments]: z.input<(typeof componentArguments)[Component]>;
};

/** The generated arguments, by component. */
interface Made {
  InferenceService: args.InferenceServiceArgs;
  LLMServerPool: args.LLMServerPoolArgs;
  InferencePool: args.InferencePoolArgs;
  SharedEndpointPicker: args.SharedEndpointPickerArgs;
  LLMService: args.LLMServiceArgs;
  InferenceModelRewrite: args.InferenceModelRewriteArgs;
  InferenceObjective: args.InferenceObjectiveArgs;
  InferenceRoute: args.InferenceRouteArgs;
  ModelRouter: args.ModelRouterArgs;
  ServiceObjectives: args.ServiceObjectivesArgs;
  ModelServing: args.ModelServingArgs;
  InferenceControllers: args.InferenceControllersArgs;
  ImportedInferencePool: args.ImportedInferencePoolArgs;
  ClusterSet: args.ClusterSetArgs;
  ClusterSetMember: args.ClusterSetMemberArgs;
  MultiClusterInferenceService: args.MultiClusterInferenceServiceArgs;
}

/** Named keys, without the keys of an index signature. */
type Written<T> = keyof { [K in keyof T as string extends K ? never : K]: true };
/** Keys of every member of a union. */
type Keys<T> = T extends unknown ? Written<T> : never;
type Needed<T> = { [K in Written<T>]-?: undefined extends T[K] ? never : K }[Written<T>];
/** Type of a field in the union members that have it. */
type Field<T, K extends PropertyKey> = T extends { [key in K]?: infer V } ? V : never;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** The keys of all arguments, and below the required ones. */
type KeysOf<T> = { [Component in keyof T]: Written<T[Component]> };
type NeededOf<T> = { [Component in keyof T]: Needed<T[Component]> };

/** Whether the plain fields of an object have the same types as a schema's input. */
type SameValues<A, B, Plain extends PropertyKey> = {
  [K in Plain]: Same<NonNullable<Field<A, K>>, NonNullable<Field<B, K>>>;
};
type AllTrue<T> = false extends T[keyof T] ? false : true;

type RoleInput = Inputs["InferenceService"]["roles"][number];
type RouterInput = Extract<RoleInput, { componentType: "router" }>;
type EngineInput = Exclude<RoleInput, RouterInput>;
type Template = EngineInput["template"];

describe("argument types", () => {
  it("argument types have the keys of the schemas, with the same required ones", () => {
    expectTypeOf<KeysOf<Made>>().toEqualTypeOf<KeysOf<Inputs>>();
    expectTypeOf<NeededOf<Made>>().toEqualTypeOf<NeededOf<Inputs>>();
    expectTypeOf<Keys<args.RoleArgs>>().toEqualTypeOf<Keys<RoleInput>>();
    expectTypeOf<Written<args.EngineRoleArgs>>().toEqualTypeOf<Written<EngineInput>>();
    // The plan writes the template of a service with a typed model.
    expectTypeOf<Needed<args.EngineRoleArgs> | "template">().toEqualTypeOf<Needed<EngineInput>>();
    expectTypeOf<Needed<args.RouterRoleArgs>>().toEqualTypeOf<Needed<RouterInput>>();
  });

  it("argument types equal the schemas' types for plain values", () => {
    type Service = SameValues<
      Made["InferenceService"],
      Inputs["InferenceService"],
      "workload" | "schedulingStrategy" | "networkPolicy" | "models" | "waitFor"
    >;
    type Router = SameValues<
      args.RouterRoleArgs,
      RouterInput,
      "strategy" | "replicas" | "targetPort" | "failureMode" | "export" | "drainSeconds"
    >;
    type Engine = SameValues<args.EngineRoleArgs, EngineInput, "componentType" | "multinode">;
    type Picker = SameValues<
      args.ImportPickerArgs,
      NonNullable<Inputs["ImportedInferencePool"]["picker"]>,
      "selection" | "preference" | "order" | "localCluster" | "tls" | "plaintext"
    >;
    type Set = SameValues<
      Made["ClusterSet"],
      Inputs["ClusterSet"],
      "memberLimits" | "importGracePeriod"
    >;
    expectTypeOf<
      [AllTrue<Service>, AllTrue<Router>, AllTrue<Engine>, AllTrue<Picker>, AllTrue<Set>]
    >().toEqualTypeOf<[true, true, true, true, true]>();
  });

  it("argument types accept Outputs in the fields that the schemas mark", () => {
    expectTypeOf<pulumi.Output<string>>().toExtend<args.ImportPickerArgs["image"]>();
    expectTypeOf<pulumi.Output<string>>().toExtend<args.PoolReferenceArgs["name"]>();
    expectTypeOf<pulumi.Output<string>>().not.toExtend<args.ModelArgs["name"]>();
    expectTypeOf<pulumi.Output<number>>().not.toExtend<args.RouterRoleArgs["replicas"]>();
  });

  it("argument types accept pod templates of @pulumi/kubernetes, and contain the fields of the schema", () => {
    expectTypeOf<types.input.core.v1.PodTemplateSpec>().toExtend<PodTemplateArgs>();
    expectTypeOf<types.input.core.v1.PodSpec>().toExtend<PodSpecArgs>();
    expectTypeOf<types.input.core.v1.Container>().toExtend<ContainerArgs>();
    expectTypeOf<ResourceRequirementsArgs>().toExtend<ContainerArgs["resources"]>();
    expectTypeOf<Written<Template["spec"]>>().toExtend<keyof PodSpecArgs>();
    expectTypeOf<Written<Template["spec"]["containers"][number]>>().toExtend<keyof ContainerArgs>();
  });

  it("argument types have the same fields in the form for other languages", () => {
    expectTypeOf<keyof elsewhere.RoleArgs>().toEqualTypeOf<Keys<args.RoleArgs>>();
    expectTypeOf<keyof podsElsewhere.PodSpecArgs>().toEqualTypeOf<keyof PodSpecArgs>();
    expectTypeOf<keyof podsElsewhere.ContainerArgs>().toEqualTypeOf<keyof ContainerArgs>();
    expectTypeOf<keyof podsElsewhere.ContainerPortArgs>().toEqualTypeOf<
      keyof types.input.core.v1.ContainerPort
    >();
  });
});
