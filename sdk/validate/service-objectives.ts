import { serviceObjectivesRules } from "../rules/spec/service-objectives.ts";
import { ServiceObjectivesSpec } from "../spec/service-objectives.ts";
import type { SpecKind } from "./spec-kind.ts";

export const serviceObjectivesSpecKind: SpecKind<ServiceObjectivesSpec> = {
  kind: "ServiceObjectives",
  schema: ServiceObjectivesSpec,
  rules: serviceObjectivesRules,
};
