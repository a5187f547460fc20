import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Returns the Base64 text of `user:password` for a registry; undefined for an anonymous login. */
export type Credentials = (registry: string) => string | undefined;

/** The fields of `~/.docker/config.json` with logins. */
export interface DockerConfig {
  readonly auths?: Readonly<Record<string, { readonly auth?: string } | undefined>>;
  /** Name of the credential helper by registry. */
  readonly credHelpers?: Readonly<Record<string, string | undefined>>;
  /** Name of the credential helper of the other registries. */
  readonly credsStore?: string;
}

/**
 * Reads the logins of `docker login`, from `$DOCKER_CONFIG/config.json` or `~/.docker/config.json`. Credential helpers
 * are not called.
 */
export function dockerCredentials(env: NodeJS.ProcessEnv = process.env): Credentials {
  const file = join(env.DOCKER_CONFIG ?? join(homedir(), ".docker"), "config.json");
  let config: DockerConfig | undefined;
  return (registry) => {
    config ??= readDockerConfig(file);
    const { auths = {} } = config;
    const names = [registry, `https://${registry}`, `https://${registry}/v2/`];
    if (registry === "docker.io") names.push("https://index.docker.io/v1/");
    return names.map((name) => auths[name]?.auth).find((auth) => auth !== undefined && auth !== "");
  };
}

/** Returns an empty configuration for a missing file. */
export function readDockerConfig(file: string): DockerConfig {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return {};
  }
  try {
    return JSON.parse(text) as DockerConfig;
  } catch (error) {
    throw new Error(`${file}: is not JSON (${(error as Error).message})`);
  }
}
