import type { AnalyzedResource, Analyzer } from "./analyzer.ts";
import type { Diagnostic, EngineEvent } from "./event.ts";
import type { PropertyMap } from "./property-value.ts";
import type { ResourceState } from "./state/resource-state.ts";
import { parseUrn } from "./urn.ts";

/** Runs policies on the resources of an operation. Without an analyzer, it does nothing. */
export class Analysis {
  readonly #analyzer: Analyzer | undefined;
  readonly #emit: (event: EngineEvent) => void;

  constructor(analyzer: Analyzer | undefined, emit: (event: EngineEvent) => void) {
    this.#analyzer = analyzer;
    this.#emit = emit;
  }

  /**
   * Returns the state with the inputs that policies have remediated.
   *
   * @throws Error with the messages of all violations that are errors
   */
  async remediated(state: ResourceState): Promise<ResourceState> {
    const analyzer = this.#analyzer;
    if (analyzer === undefined) return state;
    const given = state.inputs ?? {};
    const inputs = (await analyzer.remediate?.(analyzedResource(state, given))) ?? given;
    this.#diagnose((await analyzer.analyze?.(analyzedResource(state, inputs))) ?? []);
    return { ...state, inputs };
  }

  /** Returns the diagnostics of policies on the whole stack. */
  async ofStack(resources: readonly ResourceState[]): Promise<readonly Diagnostic[]> {
    const analyzed = resources.map((each) => analyzedResource(each, each.outputs ?? {}));
    return (await this.#analyzer?.analyzeStack?.(analyzed)) ?? [];
  }

  #diagnose(diagnostics: readonly Diagnostic[]): void {
    const isError = ({ severity }: Diagnostic) => severity === "error";
    for (const diagnostic of diagnostics) {
      if (!isError(diagnostic)) this.#emit({ kind: "diagnostic", diagnostic });
    }
    const errors = diagnostics.filter(isError).map(({ message }) => message);
    if (errors.length > 0) throw new Error(errors.join("\n"));
  }
}

function analyzedResource(state: ResourceState, properties: PropertyMap): AnalyzedResource {
  const { urn, type, parent = "", provider, dependencies = [], propertyDependencies = {} } = state;
  const { name } = parseUrn(urn);
  return {
    urn,
    type,
    name,
    parent,
    properties,
    dependencies,
    propertyDependencies,
    ...(provider && { provider }),
  };
}
