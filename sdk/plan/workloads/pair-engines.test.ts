import { describe, expect, it } from "vitest";
import {
  decoder,
  output,
  pairTemplate,
  prefiller,
  router,
  type service,
  vllmTemplate,
} from "../../../testing/samples/sample-service.ts";
import { plan, podsOf, sidecarOf } from "./planned-pods.fixture.ts";

describe("a prefiller-decoder template without a transfer", () => {
  const config = (role: string, ...roles: Parameters<typeof service>[0]) => {
    const { leader, worker } = podsOf(plan(...roles), role);
    return (leader ?? worker).containers[0];
  };
  const plain = (image: string) => vllmTemplate(8, { image });
  const nixl = '"kv_connector":"NixlConnector","kv_role":"kv_both"';

  it.each([
    ["vllm/vllm-openai:v0.12.0", `{${nixl}}`],
    ["vllm/vllm-openai:v0.13.0", `{${nixl},"kv_load_failure_policy":"recompute"}`],
    ["vllm/vllm-openai-cpu:v0.30.0", `{${nixl},"kv_load_failure_policy":"recompute"}`],
    ["mirror.local:5000/vllm@sha256:0123", `{${nixl}}`],
    ["mirror.local:5000/vllm-openai:latest", `{${nixl}}`],
  ])("gets a transfer that %s supports, on both sides", (image, written) => {
    const roles = [
      prefiller({ template: plain(image), drainSeconds: 0 }),
      decoder({ template: plain(image), drainSeconds: 0 }),
      router(),
    ];
    const flag = ["--kv-transfer-config", written];
    const prefill = config("svc-prefill-0", ...roles);
    const decode = config("svc-decode-0", ...roles);
    expect(prefill.args).toEqual(["--model", "m", ...flag]);
    expect(decode.args).toEqual(["--model", "m", ...flag, "--port", "8200"]);
    for (const { env } of [prefill, decode])
      expect(env?.map(({ name }) => name)).toContain("VLLM_NIXL_SIDE_CHANNEL_HOST");
  });

  it("gets SGLang's mode, and the sidecar gets the prefillers' bootstrap port", () => {
    const sglang = (...args: string[]) =>
      vllmTemplate(8, {
        image: "lmsysorg/sglang:v0.5.3",
        args: ["--model-path", "m", "--host", "0.0.0.0", ...args],
      });
    const roles = [prefiller({ template: sglang() }), decoder({ template: sglang() }), router()];
    expect(config("svc-prefill-0", ...roles).args?.slice(-2)).toEqual([
      "--disaggregation-mode",
      "prefill",
    ]);
    expect(config("svc-decode-0", ...roles).args?.slice(-4)).toEqual([
      "--disaggregation-mode",
      "decode",
      "--port",
      "8200",
    ]);
    const own = ["--disaggregation-mode", "prefill", "--disaggregation-bootstrap-port", "9000"];
    const told = plan(
      prefiller({ template: sglang(...own) }),
      decoder({ template: sglang("--disaggregation-mode", "decode") }),
      router(),
    );
    expect(sidecarOf(podsOf(told, "svc-decode-0").worker)?.args).toContain(
      "--sglang-bootstrap-port=9000",
    );
  });

  it("gets the transfer in all pods of a group", () => {
    const template = plain("vllm/vllm-openai:v0.13.0");
    const multinode = { nodeCount: 2 };
    const roles = [prefiller({ template }), decoder({ template, multinode }), router()];
    expect(JSON.stringify(config("svc-decode-0", ...roles))).toContain("kv_load_failure_policy");
  });

  it.each<[what: string, roles: Parameters<typeof service>[0], role: number]>([
    [
      "the other side sets a connector",
      [
        prefiller({
          template: pairTemplate(8, {
            args: ["--model", "m", "--kv-transfer-config", '{"kv_connector":"MooncakeConnector"}'],
          }),
        }),
        decoder({ template: plain("vllm/vllm-openai:v0.12.0") }),
        router(),
      ],
      1,
    ],
    [
      "a script starts the engine",
      [
        prefiller({ template: plain("vllm/vllm-openai:v0.12.0") }),
        decoder({
          template: vllmTemplate(8, {
            command: ["sh", "-c"],
            args: ["vllm serve m --port 8200"],
          }),
        }),
        router(),
      ],
      1,
    ],
    [
      "the service has no router",
      [
        prefiller({ template: plain("vllm/vllm-openai:v0.12.0") }),
        decoder({ template: plain("vllm/vllm-openai:v0.12.0") }),
      ],
      0,
    ],
  ])("is refused with the flag to add if %s", (_, roles, role) => {
    expect(() => plan(...roles)).toThrow(
      new RegExp(
        `roles\\[${role}\\].*without --kv-transfer-config.*[Aa]dd "--kv-transfer-config"`,
        "s",
      ),
    );
  });

  it("is not changed if the value of an argument is an output", () => {
    const later = output();
    const template = vllmTemplate(8, { args: ["--model", "m", later] });
    const roles = [prefiller({ template }), decoder({ template }), router()];
    expect(config("svc-prefill-0", ...roles).args).toEqual(["--model", "m", later]);
  });
});
