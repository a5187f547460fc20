import { InferenceService } from "pulumi-inference";
import { args, serviceLinks } from "./service.ts";

const service = new InferenceService("qwen", args, { podPlugins: [serviceLinks] });

export const name = service.serviceName;
