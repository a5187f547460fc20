import {
  decoder,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";
import { multinode, type RefusedService, sglang, template } from "./refused-service.fixture.ts";

/** An engine with `count` data-parallel ranks. */
const ranks = (count: number) => ({
  template: template({ args: ["--model", "m", "--data-parallel-size", String(count)] }),
});

/** An engine over `size` devices of a pod. */
const tensor = (size: number) => ({
  template: vllmTemplate(size, { args: ["--model", "m", "--tensor-parallel-size", String(size)] }),
});

/** Services with refused engines, groups and transfers, each with the path of its problem and one edit away from a valid service. */
export const refusedEngines: readonly RefusedService[] = [
  [
    "a decoder whose engine a shell starts, behind a router",
    "roles[1].template.spec.containers[0].args",
    service([
      prefiller(),
      decoder({
        template: template({
          command: ["sh", "-c"],
          args: ["vllm serve m --kv-transfer-config '{}'"],
        }),
      }),
      router(),
    ]),
  ],
  [
    "several ports of an unknown engine, none named",
    "roles[0].port",
    service([
      worker({
        template: template({
          image: "engine:1",
          ports: [{ containerPort: 1 }, { containerPort: 2 }],
        }),
      }),
      router(),
    ]),
  ],
  [
    "a script file, whose port is not known",
    "roles[0].port",
    service([
      worker({ template: template({ command: ["bash", "/start.sh"], ports: undefined }) }),
      router(),
    ]),
  ],
  [
    "a port that only a Secret contains",
    "roles[0].port",
    service([
      worker({
        template: template({
          command: ["sh", "-c", "vllm serve m --port $PORT"],
          env: [{ name: "PORT", valueFrom: { secretKeyRef: { name: "s", key: "port" } } }],
          ports: undefined,
        }),
      }),
      router(),
    ]),
  ],
  [
    "a group of vLLM whose image has no version",
    "roles[0].multinode.executor",
    service([
      worker({ multinode, template: template({ image: "vllm/vllm-openai:latest" }) }),
      router(),
    ]),
  ],
  [
    "a group of an unknown engine",
    "roles[0].multinode.executor",
    service([worker({ multinode, template: template({ image: "engine:1" }) }), router()]),
  ],
  [
    "a group of TensorRT-LLM that names no executor",
    "roles[0].multinode.executor",
    service([
      worker({
        multinode,
        template: template({
          command: ["trtllm-serve", "m", "--host", "0.0.0.0"],
          args: undefined,
        }),
      }),
    ]),
  ],
  [
    "a group whose ranks are balanced outside",
    "roles[0].template.spec.containers[0].args",
    service([
      worker({
        multinode,
        template: template({
          image: "vllm/vllm-openai:v0.30.0",
          args: ["--model", "m", "--data-parallel-size", "2", "--data-parallel-hybrid-lb"],
        }),
      }),
    ]),
  ],
  [
    "an engine with TLS behind a gateway that speaks HTTP",
    "roles[0].template.spec.containers[0].args",
    service([
      worker({ template: template({ args: ["--model", "m", "--ssl-keyfile", "/tls/key"] }) }),
      router({ gateway: { type: "ngf" } }),
    ]),
  ],
  [
    "Ray in an image of vLLM without Ray",
    "roles[0].multinode.executor",
    service([
      worker({
        multinode: { ...multinode, executor: "ray" },
        template: template({ image: "vllm/vllm-openai:v0.20.0" }),
      }),
    ]),
  ],
  [
    "two serving ports behind one pool",
    "roles[1].template.spec.containers[0].ports",
    service([
      worker(),
      worker({ name: "b", template: template({ ports: [{ containerPort: 9000 }] }) }),
      router(),
    ]),
  ],
  [
    "port 6379 taken",
    "roles[0].template.spec.containers[0].ports[0]",
    service([worker({ multinode, template: template({ ports: [{ containerPort: 6379 }] }) })]),
  ],
  [
    "port name ray-head taken",
    "roles[0].template.spec.containers[0].ports[0]",
    service([
      worker({
        multinode,
        template: template({ ports: [{ name: "ray-head", containerPort: 80 }] }),
      }),
    ]),
  ],
  [
    "port 29500 taken with mp",
    "roles[0].template.spec.containers[0].ports[0]",
    service([
      worker({
        multinode: { nodeCount: 2, executor: "mp" },
        template: template({ ports: [{ containerPort: 29500 }] }),
      }),
    ]),
  ],
  [
    "shell script in a multi-node role",
    "roles[0].template.spec.containers[0].command",
    service([
      worker({ multinode, template: template({ command: ["/bin/bash", "-c", "vllm serve m"] }) }),
    ]),
  ],
  [
    "another backend than the executor",
    "roles[0].template.spec.containers[0].args",
    service([
      worker({ multinode, template: template({ args: ["--distributed_executor_backend=mp"] }) }),
    ]),
  ],
  [
    "group flag with mp",
    "roles[0].template.spec.containers[0].args",
    service([
      worker({
        multinode: { nodeCount: 2, executor: "mp" },
        template: template({ args: ["--node-rank", "0"] }),
      }),
    ]),
  ],
  [
    "SGLang under Ray",
    "roles[0].multinode.executor",
    service([worker({ multinode: { nodeCount: 2, executor: "ray" }, template: sglang() })]),
  ],
  [
    "vLLM under SGLang's executor",
    "roles[0].multinode.executor",
    service([worker({ multinode: { nodeCount: 2, executor: "sglang" } })]),
  ],
  [
    "group flag with SGLang",
    "roles[0].template.spec.containers[0].args",
    service([worker({ multinode, template: sglang("--dist-init-addr=leader:20000") })]),
  ],
  [
    "SGLang that listens on loopback",
    "roles[0].template.spec.containers[0].args",
    service([worker({ template: sglang("--host", "127.0.0.1") })]),
  ],
  [
    "SGLang's own default of --host",
    "roles[0].template.spec.containers[0].args",
    service([
      worker({ template: template({ command: ["sglang", "serve"], args: ["--model-path", "m"] }) }),
    ]),
  ],
  [
    "readiness on Ray's port",
    "roles[0].template.spec.containers[0].readinessProbe",
    service([
      worker({
        multinode,
        template: template({ readinessProbe: { tcpSocket: { port: "ray-head" } } }),
      }),
    ]),
  ],
  [
    "liveness on the port of a script's own Ray",
    "roles[0].template.spec.containers[0].livenessProbe",
    service([
      worker({
        multinode: { nodeCount: 2, executor: "custom" },
        template: template({
          command: ["sh", "-c", "ray start --head --port=6380 && vllm serve m"],
          livenessProbe: { tcpSocket: { port: 6380 } },
        }),
      }),
    ]),
  ],
  [
    "prefillers without a transfer",
    "roles[0].template.spec.containers[0].args",
    service([prefiller({ template: vllmTemplate() }), decoder()]),
  ],
  [
    "an image that Ray starts as vLLM, without a transfer",
    "roles[0].template.spec.containers[0].args",
    service([
      prefiller({
        multinode: { ...multinode, executor: "ray" },
        template: template({ image: "engine:1" }),
      }),
      decoder(),
    ]),
  ],
  [
    "decoders without a transfer, in a script",
    "roles[1].template.spec.containers[0].command",
    service([
      prefiller(),
      decoder({ template: template({ command: ["sh", "-c", "vllm serve m"], args: undefined }) }),
    ]),
  ],
  [
    "SGLang's prefillers in decode mode",
    "roles[0].template.spec.containers[0].args",
    service([
      prefiller({ template: sglang("--disaggregation-mode", "decode") }),
      decoder({ template: sglang("--disaggregation-mode", "decode") }),
    ]),
  ],
  [
    "tensor-parallel sizes of a pair that do not divide one another",
    "roles[1].template.spec.containers[0].args",
    service([prefiller(tensor(4)), decoder(tensor(6)), router()]),
  ],
  [
    "KV events of an engine that is not vLLM",
    "roles[0].template.spec.containers[0].args",
    service([worker({ template: sglang() }), router({ kvEvents: true })]),
  ],
  [
    "KV events of ranks whose number differs between roles",
    "roles[1].template.spec.containers[0].args",
    service([worker(), worker({ name: "b", ...ranks(2) }), router({ kvEvents: true })]),
  ],
  [
    "KV events of ranks in several pods",
    "roles[0].template.spec.containers[0].args",
    service([worker({ multinode, ...ranks(32) }), router({ kvEvents: true })]),
  ],
];
