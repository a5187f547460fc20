import { createRequire } from "node:module";
import analyzer from "@pulumi/pulumi/proto/analyzer_pb.js";
import type { Empty as EmptyMessage } from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct as StructMessage } from "google-protobuf/google/protobuf/struct_pb.js";

export { default as analyzerGrpc } from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
export { analyzer };

// Messages are told apart by their class, so these must be of the copy that the SDK itself uses.
const requireFromSdk = createRequire(
  createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"),
);
export const { Struct } = requireFromSdk("google-protobuf/google/protobuf/struct_pb.js") as {
  Struct: typeof StructMessage;
};
export const { Empty } = requireFromSdk("google-protobuf/google/protobuf/empty_pb.js") as {
  Empty: typeof EmptyMessage;
};
