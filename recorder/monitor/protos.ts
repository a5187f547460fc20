import { createRequire } from "node:module";
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import callbackGrpc from "@pulumi/pulumi/proto/callback_grpc_pb.js";
import callback from "@pulumi/pulumi/proto/callback_pb.js";
import engineGrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engine from "@pulumi/pulumi/proto/engine_pb.js";
import resourceGrpc from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import resource from "@pulumi/pulumi/proto/resource_pb.js";
import type { Empty as EmptyMessage } from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct as StructMessage } from "google-protobuf/google/protobuf/struct_pb.js";
import type { PropertyMap } from "../property-value.ts";

export type { UntypedServiceImplementation };
export { callback, callbackGrpc, engine, engineGrpc, resource, resourceGrpc };

// Messages are identified by their class, so these classes must be from the same copy that the SDK uses.
const requireFromSdk = createRequire(
  createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"),
);
const { Empty } = requireFromSdk("google-protobuf/google/protobuf/empty_pb.js") as {
  Empty: typeof EmptyMessage;
};
const { Struct } = requireFromSdk("google-protobuf/google/protobuf/struct_pb.js") as {
  Struct: typeof StructMessage;
};

export const empty = (): EmptyMessage => new Empty();

export function fromStruct(struct: StructMessage | undefined): PropertyMap {
  return (struct?.toJavaScript() ?? {}) as PropertyMap;
}

export function toStruct(map: PropertyMap): StructMessage {
  return Struct.fromJavaScript(map as Parameters<typeof Struct.fromJavaScript>[0]);
}
