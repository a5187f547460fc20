import { vllmTemplate } from "../../testing/samples/sample-service.ts";

export type RefusedService = readonly [what: string, path: string, input: unknown];

export const multinode = { nodeCount: 4 };

export const template = (fields: object) => vllmTemplate(8, fields);

export const annotated = (annotations: object) =>
  ({ ...vllmTemplate(), metadata: { annotations } }) as never;

export const scheduledBy = (schedulerName: string) => {
  const { spec } = vllmTemplate();
  return { spec: { schedulerName, ...spec } };
};

/** SGLang, reachable from other pods unless `more` changes its host. */
export const sglang = (...more: string[]) =>
  vllmTemplate(8, {
    image: "lmsysorg/sglang:v0.5.5",
    command: ["python3", "-m", "sglang.launch_server"],
    args: ["--model-path", "m", ...(more.includes("--host") ? [] : ["--host", "0.0.0.0"]), ...more],
  });
