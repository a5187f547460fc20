import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { importKind } from "../../sdk/multi-cluster/import-schema.ts";
import { defaultControllerName, managedBy } from "../../sdk/topology/multi-cluster-names.ts";
import {
  createNamespace,
  createPool,
  forEach,
  importsPath,
  type Member,
  poolsPath,
} from "./members.ts";

interface Written {
  readonly metadata: { readonly labels?: object };
  readonly status?: object;
}

/** As many at a time in each member as the controller writes. */
const concurrency = 8;

/**
 * Seconds that the controller's writes take where nothing else is done: the same objects under another namespace,
 * from a member that has them.
 */
export async function plainWrites(
  members: readonly Member[],
  from: string,
  to: string,
  names: readonly string[],
): Promise<number> {
  const [first] = members;
  if (first === undefined || names[0] === undefined) throw new Error("nothing to write");
  const read = async (path: string) =>
    anothers(await first.cluster.request<Written>("GET", `${path}/${names[0]}`));
  const [it, pool] = await Promise.all([read(importsPath(from)), read(poolsPath(from))]);
  await Promise.all(members.map((member) => createNamespace(member, to)));
  for (const member of members)
    await forEach(names, concurrency, (name) => createPool(member, to, name, false));
  const started = performance.now();
  await Promise.all(
    members.map((member) =>
      forEach(names, concurrency, (name) => writeOne(member, to, name, it, pool)),
    ),
  );
  return (performance.now() - started) / 1000;
}

/** Under another controller's name, so that no controller takes it for its own. */
const anothers = (object: Written): Written =>
  JSON.parse(
    JSON.stringify(object)
      .replaceAll(defaultControllerName, "example.com/another-controller-of-imports")
      .replaceAll(managedBy(defaultControllerName), "example.com_another-controller-of-imports"),
  );

async function writeOne(
  { cluster }: Member,
  namespace: string,
  name: string,
  it: Written,
  pool: Written,
): Promise<void> {
  const { apiVersion, kind } = importKind;
  const path = importsPath(namespace);
  await cluster.request("POST", path, {
    ...{ apiVersion, kind, metadata: { name, labels: it.metadata.labels } },
  });
  await cluster.apply(`${path}/${name}/status`, {
    ...{ apiVersion, kind, metadata: { name }, status: it.status },
  });
  const status = { status: pool.status };
  await cluster.request("PATCH", `${poolsPath(namespace)}/${name}/status`, status, mergePatchType);
}
