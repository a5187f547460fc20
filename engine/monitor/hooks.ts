import type { HookArgs, HookPhase, RunHooks } from "../goal.ts";
import type { PropertyMap } from "../property-value.ts";
import { resource, toStruct } from "./protos.ts";
import { type TransformOptions, unsupported } from "./registration.ts";
import type { Callback, Callbacks } from "./transforms.ts";

type RegisterHookRequest = InstanceType<typeof resource.RegisterResourceHookRequest>;
type Binding = NonNullable<ReturnType<TransformOptions["getHooks"]>>;

interface Hook {
  readonly callback: Callback;
  readonly onDryRun: boolean;
  readonly ignoreErrors: boolean;
}

const namesOf: Readonly<Record<HookPhase, (binding: Binding) => string[]>> = {
  beforeCreate: (binding) => binding.getBeforeCreateList(),
  afterCreate: (binding) => binding.getAfterCreateList(),
  beforeUpdate: (binding) => binding.getBeforeUpdateList(),
  afterUpdate: (binding) => binding.getAfterUpdateList(),
};

/** Code of the program that runs before and after the operations of a resource, by name. */
export class ResourceHooks {
  readonly #hooks = new Map<string, Hook>();
  readonly #callbacks: Callbacks;
  readonly #preview: boolean;

  constructor(callbacks: Callbacks, preview: boolean) {
    this.#callbacks = callbacks;
    this.#preview = preview;
  }

  register(request: RegisterHookRequest): void {
    const name = request.getName();
    const callback = request.getCallback();
    if (callback === undefined)
      throw new Error(`resource hook ${JSON.stringify(name)} has no code`);
    if (this.#hooks.has(name))
      throw new Error(`resource hook ${JSON.stringify(name)} is registered twice; rename one`);
    this.#hooks.set(name, {
      callback,
      onDryRun: request.getOnDryRun(),
      ignoreErrors: request.getIgnoreErrors(),
    });
  }

  /**
   * Returns the function that runs the hooks of a resource, or undefined if it has none.
   *
   * @param warn receives the errors of hooks that ignore them
   */
  of(
    what: string,
    options: TransformOptions,
    warn: (message: string) => void,
  ): RunHooks | undefined {
    const binding = options.getHooks();
    if (binding === undefined) return undefined;
    const isDeleting = binding.getBeforeDeleteList().length + binding.getAfterDeleteList().length;
    if (isDeleting > 0) throw unsupported(what, "hooks of deletions");
    if (binding.getOnErrorList().length > 0) throw unsupported(what, "hooks of errors");
    const all = Object.values(namesOf).flatMap((names) => names(binding));
    if (all.length === 0) return undefined;
    return async (phase, args) => {
      for (const name of namesOf[phase](binding)) await this.#run(name, args, warn);
    };
  }

  async #run(name: string, args: HookArgs, warn: (message: string) => void): Promise<void> {
    const hook = this.#hooks.get(name);
    if (hook === undefined)
      throw new Error(`resource hook ${JSON.stringify(name)} is not registered`);
    if (this.#preview && !hook.onDryRun) return;
    const response = resource.ResourceHookResponse.deserializeBinary(
      await this.#callbacks.invoke(hook.callback, requestOf(args).serializeBinary()),
    );
    const error = response.getError();
    if (error === "") return;
    if (!hook.ignoreErrors) throw new Error(error);
    warn(error);
  }
}

function requestOf(args: HookArgs) {
  const request = new resource.ResourceHookRequest();
  request.setUrn(args.urn);
  request.setId(args.id);
  request.setName(args.name);
  request.setType(args.type);
  const set = (
    value: PropertyMap | undefined,
    write: (struct: ReturnType<typeof toStruct>) => void,
  ) => {
    if (value !== undefined) write(toStruct(value));
  };
  set(args.oldInputs, (struct) => request.setOldInputs(struct));
  set(args.newInputs, (struct) => request.setNewInputs(struct));
  set(args.oldOutputs, (struct) => request.setOldOutputs(struct));
  set(args.newOutputs, (struct) => request.setNewOutputs(struct));
  return request;
}
