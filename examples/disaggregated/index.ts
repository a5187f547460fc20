import { InferenceService } from "pulumi-inference";
import { args, name } from "./service.ts";

const service = new InferenceService(name, args);

export const components = service.components;
/** Base URL of the OpenAI API, once the gateway has an address. */
export const url = service.url;
