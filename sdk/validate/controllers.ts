import { ControllersSpec } from "../spec/controllers.ts";
import type { SpecKind } from "./spec-kind.ts";

export const controllersSpecKind: SpecKind<ControllersSpec> = {
  kind: "InferenceControllers",
  schema: ControllersSpec,
  rules: [],
};
