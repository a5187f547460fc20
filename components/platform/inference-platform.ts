import { apiextensions, core } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { parseDigest } from "../../kubernetes/registry/content.ts";
import { imagesOf, withImages } from "../../kubernetes/registry/pod-images.ts";
import {
  formatReference,
  inTarget,
  parseReference,
  parseTarget,
  targetForm,
} from "../../kubernetes/registry/reference.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { installStages, manifestsOfPrerequisite } from "../../sdk/platform/manifests.ts";
import {
  type PrerequisiteName,
  prerequisiteNames,
  prerequisites,
} from "../../sdk/platform/prerequisites.ts";
import { handedOn, ownOptions } from "../child-options.ts";
import { isComponent } from "../component-resource.ts";
import { applyDefinition } from "../crds/applied-definition.ts";
import { providerAnnotation } from "../readiness.ts";

export interface InferencePlatformArgs {
  /** Whether to install the CRDs of the Gateway API. Default true. A Gateway implementation is not part of it. */
  gatewayApi?: boolean;
  /** Whether to install the CRDs of the Gateway API Inference Extension. Default true. */
  inferenceExtension?: boolean;
  /** Whether to install LeaderWorkerSet: CRDs, controller and webhooks in the namespace `lws-system`. Default true. */
  leaderWorkerSet?: boolean;
  /** Whether to install Volcano: CRDs, scheduler, controllers and webhooks in the namespace `volcano-system`. Default true. */
  volcano?: boolean;
  /** Whether to install KEDA: CRDs, operator, metrics server and webhook in the namespace `keda`. Default true. */
  keda?: boolean;
  /**
   * Registry with copies of the images, `HOST[:PORT][/PATH]`, as `pulumi-inference push --registry` fills it. Default: the
   * registries of the projects.
   */
  registry?: string;
  /**
   * Digests of the images by name and tag, such as `registry.k8s.io/lws/lws:v0.9.0: sha256:...`. `bundle.lock.json` of
   * `pulumi-inference bundle` contains them. If digests are set, every installed image needs a digest. Default: images
   * by tag.
   */
  digests?: Record<string, string>;
}

/** Resources of an InferencePlatform by component; an empty list for a component that is not installed. */
export type InferencePlatformNodes = Readonly<
  Record<PrerequisiteName, readonly pulumi.CustomResource[]>
>;

const nodes = new WeakMap<InferencePlatform, InferencePlatformNodes>();
const none = Object.fromEntries(
  prerequisiteNames.map((name) => [name, []]),
) as unknown as InferencePlatformNodes;

/**
 * The components of a cluster that services need: the Gateway API and its inference extension, LeaderWorkerSet, Volcano
 * and KEDA. Each is installed in the version that the tests of this package run against, from manifests in this
 * package, so it needs no download. Set a component to false if the cluster has it, or to install another version.
 *
 * Namespaces and CRDs are created first, then permissions and configuration, then Deployments. Webhooks are created
 * when their Deployments are available. A resource that depends on this component waits for all of these objects.
 *
 * CRDs are kept when the stack or the component is deleted, because deleting a CRD deletes every object of its kind.
 *
 * ```ts
 * const platform = new InferencePlatform("platform", { keda: false });
 * const service = new InferenceService("chat", args, { dependsOn: platform });
 * ```
 */
export class InferencePlatform extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:InferencePlatform";

  /** Installed versions by component, without a leading `v`. */
  declare readonly versions: pulumi.Output<Record<string, string>>;

  /** Reports whether a value is an InferencePlatform, even if it was created by another copy of this package. */
  static override isInstance(value: unknown): value is InferencePlatform {
    return isComponent(value, InferencePlatform.__pulumiType);
  }

  constructor(
    name: string,
    args: InferencePlatformArgs = {},
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    if (opts.urn !== undefined) {
      super(InferencePlatform.__pulumiType, name, { versions: undefined }, opts);
      return;
    }
    const installed = prerequisiteNames.filter((each) => args[each] !== false);
    const image = imageOf(name, args, installed);
    super(InferencePlatform.__pulumiType, name, { ...args }, ownOptions(opts));

    const created = installed.map((each) => {
      const manifests = manifestsOfPrerequisite(each).map((object) => withImages(object, image));
      return [each, this.#install(name, manifests, opts)] as const;
    });
    nodes.set(this, { ...none, ...Object.fromEntries(created) });
    const outputs = {
      versions: pulumi.output(
        Object.fromEntries(installed.map((each) => [each, prerequisites[each].version])),
      ),
    };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** Resources of the component. Undefined for a component that was only referred to by its URN. */
  get nodes(): InferencePlatformNodes {
    return nodes.get(this) ?? none;
  }

  /** Creates the objects of one prerequisite; each stage waits for the stage before it, and so for all earlier ones. */
  #install(
    name: string,
    manifests: readonly Manifest[],
    opts: pulumi.ComponentResourceOptions,
  ): pulumi.CustomResource[] {
    const created: pulumi.CustomResource[][] = [];
    for (const kinds of installStages) {
      const stage = manifests.filter(({ kind }) => kinds.includes(kind));
      if (stage.length === 0) continue;
      const dependsOn = created.at(-1) ?? [];
      created.push(
        stage.map((manifest) => {
          const options = { parent: this, dependsOn, ...handedOn(opts, manifest) };
          return createObject(childName(name, manifest), manifest, options);
        }),
      );
    }
    return created.flat();
  }
}

const childName = (name: string, { kind, metadata }: Manifest): string =>
  [name, kind.toLowerCase(), metadata.namespace, metadata.name.replaceAll(":", "-")]
    .filter((part) => part !== undefined)
    .join("-");

function createObject(
  name: string,
  manifest: Manifest,
  options: pulumi.CustomResourceOptions,
): pulumi.CustomResource {
  if (manifest.kind === "CustomResourceDefinition") return applyDefinition(name, manifest, options);
  // The provider refuses a CustomResource of the core group, whose `apiVersion` has no group.
  if (manifest.apiVersion === "v1") return createCoreObject(name, manifest, options);
  return new apiextensions.CustomResource(name, manifest, options);
}

function createCoreObject(
  name: string,
  manifest: Manifest,
  options: pulumi.CustomResourceOptions,
): pulumi.CustomResource {
  const Kind = core.v1[manifest.kind as keyof typeof core.v1] as unknown as CoreClass;
  if (manifest.kind !== "Service") return new Kind(name, manifest, options);
  // Its Deployment is created later, so it is not awaited.
  const annotations = { ...manifest.metadata.annotations, [providerAnnotation.skipAwait]: "true" };
  return new Kind(name, { ...manifest, metadata: { ...manifest.metadata, annotations } }, options);
}

type CoreClass = new (
  name: string,
  args: Manifest,
  options: pulumi.CustomResourceOptions,
) => pulumi.CustomResource;

/**
 * Returns a function that places an image in a registry, with its digest.
 *
 * @throws Error that names every fault of the arguments
 */
function imageOf(
  name: string,
  { registry, digests }: InferencePlatformArgs,
  installed: readonly PrerequisiteName[],
): (image: string) => string {
  const target = registry === undefined ? undefined : parseTarget(registry);
  const problems = [
    ...(registry !== undefined && target === undefined
      ? [`registry: is ${JSON.stringify(registry)}; allowed: ${targetForm}`]
      : []),
    ...(digests === undefined ? [] : digestFaults(digests, installed)),
  ];
  if (problems.length > 0) throw new Error(`InferencePlatform "${name}": ${problems.join("\n")}`);
  return (image) => {
    const reference = {
      ...parseReference(image),
      ...(digests && { digest: parseDigest(digests[image]) }),
    };
    return formatReference(target === undefined ? reference : inTarget(reference, target));
  };
}

function digestFaults(
  digests: Readonly<Record<string, string>>,
  installed: readonly PrerequisiteName[],
): string[] {
  const needed = imagesOf(installed.flatMap(manifestsOfPrerequisite));
  return needed
    .filter((image) => parseDigest(digests[image]) === undefined)
    .map(
      (image) =>
        `digests["${image}"]: is ${JSON.stringify(digests[image]) ?? "missing"}; allowed: sha256: and 64 hexadecimal digits, as in bundle.lock.json`,
    );
}
