import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Credentials, type DockerConfig, readDockerConfig } from "./credentials.ts";

/**
 * Reads the logins that buildah uses, in its order: `$REGISTRY_AUTH_FILE`, the files of `buildah login` and
 * `podman login`, and the file of `docker login`. Calls the credential helpers that these files name.
 */
export function containerCredentials(env: NodeJS.ProcessEnv = process.env): Credentials {
  const runtime =
    env.XDG_RUNTIME_DIR === undefined
      ? `/run/containers/${process.getuid?.() ?? 0}`
      : join(env.XDG_RUNTIME_DIR, "containers");
  const home = env.HOME ?? homedir();
  const files =
    env.REGISTRY_AUTH_FILE === undefined
      ? [
          join(runtime, "auth.json"),
          join(env.XDG_CONFIG_HOME ?? join(home, ".config"), "containers", "auth.json"),
          join(env.DOCKER_CONFIG ?? join(home, ".docker"), "config.json"),
        ]
      : [env.REGISTRY_AUTH_FILE];
  return (registry) => {
    for (const file of files) {
      const login = loginIn(readDockerConfig(file), registry);
      if (login !== undefined) return login;
    }
    return undefined;
  };
}

/** Keys may contain the path of a repository: `registry.example.com/team`. */
function loginIn({ auths = {}, credHelpers = {}, credsStore }: DockerConfig, registry: string) {
  const helper = credHelpers[registry] ?? credsStore;
  if (helper !== undefined) return fromHelper(helper, registry);
  const isOf = (key: string) =>
    key.replace(/^https?:\/\//, "").split("/")[0] ===
    (registry === "docker.io" ? "index.docker.io" : registry);
  const names = [registry, ...Object.keys(auths).filter((key) => key !== registry && isOf(key))];
  return names.map((name) => auths[name]?.auth).find((auth) => auth !== undefined && auth !== "");
}

/** Returns undefined if the helper has no login, or is not installed. */
function fromHelper(helper: string, registry: string): string | undefined {
  const { status, stdout } = spawnSync(`docker-credential-${helper}`, ["get"], {
    input: registry,
    encoding: "utf8",
    timeout: 30_000,
  });
  if (status !== 0) return undefined;
  try {
    const { Username, Secret } = JSON.parse(stdout) as { Username?: string; Secret?: string };
    if (Username === undefined || Secret === undefined) return undefined;
    return Buffer.from(`${Username}:${Secret}`).toString("base64");
  } catch {
    return undefined;
  }
}
