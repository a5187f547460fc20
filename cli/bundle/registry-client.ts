import { RegistryClient } from "../../kubernetes/registry/client.ts";
import { dockerCredentials } from "../../kubernetes/registry/credentials.ts";
import type { Terminal } from "../terminal.ts";

/** Options of the commands that call registries. */
export interface RegistryCommandOptions {
  plainHttp?: readonly string[];
  realm?: readonly string[];
}

/** Returns a client with the logins of `docker login`. It prints the host that gets a login, if that is not the registry. */
export const registryClient = (
  { plainHttp = [], realm = [] }: RegistryCommandOptions,
  { err }: Pick<Terminal, "err">,
): RegistryClient => {
  const printed = new Set<string>();
  return new RegistryClient({
    credentials: dockerCredentials(),
    plainHttp,
    realms: realm,
    onRealm: (host) => {
      if (!printed.has(host)) err.write(`the login is sent to ${host}, which issues tokens\n`);
      printed.add(host);
    },
  });
};
