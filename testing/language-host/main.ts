import { Server, ServerCredentials } from "@grpc/grpc-js";
import { languageHost, languageService } from "./language-host.ts";

/**
 * STAND-IN for `pulumi-language-nodejs`: the CLI starts it with the address of its engine, reads the port from the first line
 * of its output, and ends its process. If the CLI is killed, stdin ends, and so do this process and its programs.
 */
const [engineAddress = ""] = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const server = new Server({
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
});
const gone = new AbortController();
server.addService(languageService, languageHost(engineAddress, gone.signal));
process.stdin.resume().once("close", () => {
  gone.abort();
  process.exit(1);
});
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(port);
});
