import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, expectTypeOf, it } from "vitest";
import { executorNames } from "../sdk/executors/index.ts";
import {
  gangLayouts,
  type InferenceServiceSpecInput,
  type MetadataInput,
  workloadModes,
} from "../sdk/spec/inference-service.ts";
import type { ProgramPods as ProgramPodsSpec } from "../sdk/spec/program-pods.ts";
import { componentTypes, failureModes, routingStrategies } from "../sdk/spec/role.ts";
import type {
  EngineRole,
  InferenceServiceArgs,
  Metadata,
  Role,
  RouterRole,
} from "./inference-service-args.ts";
import type { ModelServingArgs, ServingRole } from "./model-serving/model-serving-args.ts";
import type * as described from "./other-languages/inference-service.ts";
import type * as describedPool from "./other-languages/llm-server-pool.ts";
import type * as describedServing from "./other-languages/model-serving.ts";
import type * as describedPods from "./other-languages/pod-template.ts";
import type { Container, PodSpec, PodTemplate, ResourceRequirements } from "./pod-template.ts";
import type { LLMServerPoolArgs } from "./pools/pool-args.ts";
import type { ProgramPods } from "./program-pods-args.ts";
import * as vocabulary from "./vocabulary.ts";

type RoleInput = InferenceServiceSpecInput["roles"][number];
type InferenceRoleInput = Exclude<RoleInput, { componentType: "router" }>;
type TemplateInput = InferenceRoleInput["template"];
type ContainerInput = TemplateInput["spec"]["containers"][number];

/** Keys of every member of a union. */
type Keys<T> = T extends unknown ? keyof T : never;
/** What a field may be in the members of a union that have it. */
type Field<T, K extends string> = T extends { [key in K]?: infer V } ? V : never;
/** Keys written out, without those of an index signature. */
type Written<T> = keyof { [K in keyof T as string extends K ? never : K]: true };
/** An interface as an object type, which an index signature accepts. */
type Opened<T> = T extends pulumi.Output<unknown> | Promise<unknown>
  ? unknown
  : T extends object
    ? { [K in keyof T]: Opened<T[K]> }
    : T;

/** Fields that are plain in arguments and schema alike. */
type PlainRoleField = Exclude<
  Keys<Role>,
  "template" | "httproute" | "gateway" | "image" | keyof ProgramPods
>;
/** For every plain field, whether arguments and schema accept the same values. */
type SameValues = {
  [K in PlainRoleField]: Same<Field<Role, K> | undefined, Field<RoleInput, K> | undefined>;
};
type Same<A, B> = [A, B] extends [B, A] ? true : false;

describe("InferenceServiceArgs", () => {
  it("has the fields of the schema, and its own", () => {
    expectTypeOf<keyof InferenceServiceArgs>().toEqualTypeOf<
      keyof InferenceServiceSpecInput | "metadata" | "statusObject" | "waitFor"
    >();
    expectTypeOf<keyof Metadata>().toEqualTypeOf<keyof MetadataInput>();
    expectTypeOf<Keys<Role>>().toEqualTypeOf<Keys<RoleInput>>();
    expectTypeOf<keyof RouterRole>().toEqualTypeOf<
      keyof Extract<RoleInput, { componentType: "router" }>
    >();
    expectTypeOf<keyof EngineRole>().toEqualTypeOf<keyof InferenceRoleInput>();
    expectTypeOf<keyof ProgramPods | "image">().toEqualTypeOf<keyof ProgramPodsSpec>();
  });

  it("has the schema's types where values are plain", () => {
    expectTypeOf<Required<Metadata>>().toEqualTypeOf<
      Required<{
        [K in keyof MetadataInput]: K extends "namespace" ? pulumi.Input<string> : MetadataInput[K];
      }>
    >();
    expectTypeOf<SameValues>().toEqualTypeOf<Record<PlainRoleField, true>>();
    expectTypeOf<InferenceServiceArgs["workload"]>().toEqualTypeOf<
      InferenceServiceSpecInput["workload"]
    >();
    expectTypeOf<InferenceServiceArgs["schedulingStrategy"]>().toEqualTypeOf<
      InferenceServiceSpecInput["schedulingStrategy"]
    >();
  });

  it("requires what the schema requires", () => {
    expectTypeOf<Pick<EngineRole, "name" | "componentType" | "template">>().toEqualTypeOf<
      Required<Pick<EngineRole, "name" | "componentType" | "template">>
    >();
    expectTypeOf<{ roles: Role[] }>().toExtend<InferenceServiceArgs>();
    expectTypeOf<undefined>().not.toExtend<InferenceServiceArgs["roles"]>();
  });

  it("accepts in routes and resources only what the schema takes", () => {
    expectTypeOf<Opened<NonNullable<RouterRole["httproute"]>>["rules"]>().toExtend<
      NonNullable<Field<RoleInput, "httproute">>["rules"]
    >();
    expectTypeOf<Opened<RouterRole["resources"]>>().toExtend<
      Field<RoleInput, "resources"> | undefined
    >();
  });

  it("takes pod templates of @pulumi/kubernetes, and names what the schema names", () => {
    expectTypeOf<types.input.core.v1.PodTemplateSpec>().toExtend<PodTemplate>();
    expectTypeOf<types.input.core.v1.PodSpec>().toExtend<PodSpec>();
    expectTypeOf<types.input.core.v1.Container>().toExtend<Container>();
    expectTypeOf<ResourceRequirements>().toExtend<Container["resources"]>();
    expectTypeOf<Written<TemplateInput["spec"]>>().toExtend<keyof PodSpec>();
    expectTypeOf<Written<ContainerInput>>().toExtend<keyof Container>();
  });

  it("is described for other languages with the same fields", () => {
    expectTypeOf<keyof described.InferenceServiceArgs>().toEqualTypeOf<
      keyof InferenceServiceArgs
    >();
    expectTypeOf<keyof described.Role>().toEqualTypeOf<Keys<Role>>();
    expectTypeOf<keyof describedServing.ModelServingArgs>().toEqualTypeOf<keyof ModelServingArgs>();
    expectTypeOf<keyof describedPool.LLMServerPoolArgs>().toEqualTypeOf<keyof LLMServerPoolArgs>();
    expectTypeOf<keyof describedServing.ServingRole>().toEqualTypeOf<keyof ServingRole>();
    expectTypeOf<keyof describedPods.PodSpec>().toEqualTypeOf<keyof PodSpec>();
    expectTypeOf<keyof describedPods.Container>().toEqualTypeOf<keyof Container>();
    expectTypeOf<keyof describedPods.ContainerPort>().toEqualTypeOf<
      keyof types.input.core.v1.ContainerPort
    >();
    expectTypeOf<Opened<describedPods.PodTemplate>>().toExtend<TemplateInput>();
  });

  it("uses the schema's words", () => {
    const words = (values: object) => Object.values(values).sort();
    expect(words(vocabulary.ComponentType)).toEqual([...componentTypes].sort());
    expect(words(vocabulary.RoutingStrategy)).toEqual([...routingStrategies].sort());
    expect(words(vocabulary.Executor)).toEqual([...executorNames].sort());
    expect(words(vocabulary.FailureMode)).toEqual([...failureModes].sort());
    expect(words(vocabulary.GangLayout)).toEqual([...gangLayouts].sort());
    expect(words(vocabulary.WorkloadMode)).toEqual([...workloadModes].sort());
  });
});
