// The Pulumi CLI starts this file for programs in other languages. Its folder contains the schema of their packages.
import { servePlugin } from "pulumi-inference/plugin";

servePlugin(new URL("schema.json", import.meta.url));
