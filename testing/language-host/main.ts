import { basename } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { languageHost, languageService } from "./language-host.ts";
import { languages } from "./languages.ts";

/**
 * STAND-IN for `pulumi-language-nodejs`, `-python` and `-go`, after which it takes its language: the CLI starts it with the address of its engine, reads the port from the first line
 * of its output, and ends its process. If the CLI is killed, stdin ends, and so do this process and its programs.
 */
const [engineAddress = ""] = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const name = basename(process.argv[1] ?? "").replace("pulumi-language-", "");
const language = languages[name];
if (language === undefined)
  throw new Error(`language is ${name}; allowed: ${Object.keys(languages).join(", ")}`);
const server = new Server({
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
});
const gone = new AbortController();
server.addService(languageService, languageHost(language, engineAddress, gone.signal));
process.stdin.resume().once("close", () => {
  gone.abort();
  process.exit(1);
});
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(port);
});
