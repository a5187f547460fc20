import { InferenceService } from "pulumi-inference";
import { args, name } from "./service.ts";

const service = new InferenceService(name, args);

export const components = service.components;
