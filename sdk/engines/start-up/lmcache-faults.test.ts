import { expect, it } from "vitest";
import { lmcacheFaults } from "./lmcache-faults.ts";

const connector = JSON.stringify({ kv_connector: "LMCacheConnectorV1", kv_role: "kv_both" });
const found = (
  env: Readonly<Record<string, string>>,
  {
    args = [],
    pod = {},
    ...fields
  }: { args?: string[]; pod?: object; [field: string]: unknown } = {},
) => {
  const container = {
    image: "lmcache/vllm-openai:v0.3.9",
    args: ["--model", "Qwen/Qwen3-32B", "--kv-transfer-config", connector, ...args],
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    resources: { limits: { memory: "128Gi", "ephemeral-storage": "500Gi" } },
    ...fields,
  };
  return [...lmcacheFaults(container, pod)].map(({ given, fix }) => `${given}. ${fix}`);
};
const cpu = (size: string) => ({ LMCACHE_MAX_LOCAL_CPU_SIZE: size });
const disk = { LMCACHE_LOCAL_DISK: "file:///cache/", LMCACHE_MAX_LOCAL_DISK_SIZE: "200" };
const four = ["--tensor-parallel-size", "4"];
const mounted = (volume: object) => ({
  args: four,
  volumeMounts: [{ name: "cache", mountPath: "/cache" }],
  pod: { volumes: [{ name: "cache", ...volume }] },
});

it("the memory of all ranks is compared with the limit", () => {
  expect(found(cpu("50"))).toEqual([]);
  expect(found(cpu("50"), { args: four })).toEqual([
    "set LMCACHE_MAX_LOCAL_CPU_SIZE 50, which LMCache allocates on each of 4 ranks: 200.0 GiB, but the memory limit is 128.0 GiB. Set LMCACHE_MAX_LOCAL_CPU_SIZE below 32, or raise the limit.",
  ]);
  expect(found(cpu("31"), { args: four })).toEqual([]);
});

it("nothing is reported if ranks with latent attention share the memory, or if a size is unknown", () => {
  const latent = ["--model", "deepseek-ai/DeepSeek-V3", ...four];
  expect(found(cpu("50"), { args: latent })).toEqual([]);
  expect(found(cpu("$(SIZE)"), { args: four })).toEqual([]);
  expect(found(cpu("50"), { args: four, resources: {} })).toEqual([]);
  expect(
    found(cpu("500"), { args: ["--kv-transfer-config", '{"kv_connector":"NixlConnector"}'] }),
  ).toEqual([]);
});

it("the disk of all ranks is compared with its volume, or the storage of the container", () => {
  const over = /^set LMCACHE_MAX_LOCAL_DISK_SIZE 200, .*: 800\.0 GiB, but the /;
  expect(found(disk, { args: four })).toEqual([expect.stringMatching(over)]);
  expect(found(disk, mounted({ emptyDir: {} }))).toEqual([expect.stringMatching(over)]);
  expect(found(disk, mounted({ emptyDir: { sizeLimit: "700Gi" } }))).toEqual([
    expect.stringMatching(/the size of volume cache is 700\.0 GiB/),
  ]);
  expect(found(disk, mounted({ emptyDir: { sizeLimit: "900Gi" } }))).toEqual([]);
  expect(found(disk, mounted({ persistentVolumeClaim: { claimName: "c" } }))).toEqual([]);
});
