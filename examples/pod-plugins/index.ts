import { InferenceService } from "pulumi-inference";
import { args, graceful } from "./service.ts";

const service = new InferenceService("qwen", args, { podPlugins: [graceful] });

export const name = service.serviceName;
