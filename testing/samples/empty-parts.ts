/** Empty maps and lists that mean something in the API. All others mean nothing, and API servers drop many of them. */
const meant = [
  // A volume of this kind has no settings that must be.
  /\.volumes\[\d+\]\.emptyDir$/,
  // Every pod, every namespace, every peer.
  /\.(pod|namespace)Selector$/,
  // A rule of an HTTPRoute that matches every request.
  /\.rules\[\d+\]$/,
  // Pod templates of engines stay as their author wrote them, and API servers keep all fields of a custom resource.
  /^LeaderWorkerSet\.spec\.leaderWorkerTemplate\.(leader|worker)Template\.spec\./,
  // A custom resource keeps them as written: an empty list allows no one, and a model may have no objective.
  /^InferenceService\.spec\.roles\[\d+\]\.export\.(serviceAnnotations|allowedNetworks)$/,
  /^LLMServerPool\.spec\.(allowedNamespaces|reservedModels)$/,
  /^(LLMService|InferenceService)\.spec\.models\[\d+\]\.objective$/,
];

/** Paths of the empty maps, empty lists and nulls of a manifest that nothing is meant by, such as `Role.metadata.labels`. */
export const emptyParts = (manifest: { kind: string }): string[] =>
  [...emptyIn(manifest, manifest.kind)].filter((path) => !meant.some((of) => of.test(path)));

function* emptyIn(value: unknown, path: string): Generator<string> {
  if (value === null) yield path;
  if (value === null || typeof value !== "object") return;
  const entries = Object.entries(value);
  if (entries.length === 0) yield path;
  for (const [key, part] of entries) {
    yield* emptyIn(part, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
  }
}
