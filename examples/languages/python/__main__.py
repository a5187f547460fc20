import pulumi
import pulumi_inference as inference

# A small model on CPUs behind its own gateway.
quickstart = inference.InferenceService(
    "quickstart",
    model=inference.ServiceModelArgs(name="Qwen/Qwen2.5-0.5B-Instruct"),
    accelerator=inference.AcceleratorName.CPU,
    engine=inference.EngineSettingsArgs(name=inference.EngineKind.VLLM, max_model_len=4096),
    roles=[
        inference.RoleArgs(name="inference", component_type=inference.ComponentType.WORKER),
        inference.RoleArgs(
            name="router",
            component_type=inference.ComponentType.ROUTER,
            gateway=inference.RouterGatewayArgs(
                gateway_class_name="agentgateway",
                listeners=[{"name": "http", "port": 80, "protocol": "HTTP"}],
            ),
        ),
    ],
)

# A model that needs four nodes of eight GPUs.
inference.InferenceService(
    "deepseek",
    model=inference.ServiceModelArgs(name="deepseek-ai/DeepSeek-R1"),
    accelerator=inference.AcceleratorName.H100_SXM,
    roles=[
        inference.RoleArgs(
            name="inference",
            component_type=inference.ComponentType.WORKER,
            replicas=2,
            multinode=inference.MultinodeArgs(node_count=4),
        ),
    ],
)

# Prompts and tokens on different pods.
inference.InferenceService(
    "qwen",
    model=inference.ServiceModelArgs(name="Qwen/Qwen3-8B"),
    accelerator=inference.AcceleratorName.H100_SXM,
    roles=[
        inference.RoleArgs(
            name="prefill", component_type=inference.ComponentType.PREFILLER, replicas=2
        ),
        inference.RoleArgs(
            name="decode", component_type=inference.ComponentType.DECODER, replicas=4
        ),
        inference.RoleArgs(
            name="router",
            component_type=inference.ComponentType.ROUTER,
            httproute=inference.RouterHttpRouteArgs(
                parent_refs=[inference.ParentReferenceArgs(name="inference-gateway")],
            ),
        ),
    ],
)

# Existing pods that several teams share.
pool = inference.LLMServerPool(
    "shared",
    model_server_selector={"app": "qwen"},
    fairness=inference.FairnessArgs(weights={"default/batch": 1}),
)
pool_ref = [inference.PoolReferenceArgs(name=pool.pool_name)]
target_models = [inference.TargetModelArgs(name="Qwen/Qwen3-8B")]
inference.LLMService(
    "search",
    share=5,
    models=[inference.ModelArgs(name="search", target_models=target_models)],
    pool_ref=pool_ref,
)
inference.LLMService(
    "batch",
    models=[inference.ModelArgs(name="batch", target_models=target_models)],
    pool_ref=pool_ref,
)
inference.InferenceRoute(
    "shared",
    parent_refs=[inference.ParentReferenceArgs(name="inference-gateway")],
    rules=[
        inference.InferenceRouteRuleArgs(pools=[inference.RoutePoolArgs(name=pool.pool_name)]),
    ],
)

pulumi.export("url", quickstart.url)
pulumi.export("urlStatus", quickstart.url_status)
