package app;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.inference.InferenceRoute;
import com.pulumi.inference.InferenceRouteArgs;
import com.pulumi.inference.InferenceService;
import com.pulumi.inference.InferenceServiceArgs;
import com.pulumi.inference.LLMServerPool;
import com.pulumi.inference.LLMServerPoolArgs;
import com.pulumi.inference.LLMService;
import com.pulumi.inference.LLMServiceArgs;
import com.pulumi.inference.enums.AcceleratorName;
import com.pulumi.inference.enums.ComponentType;
import com.pulumi.inference.enums.EngineKind;
import com.pulumi.inference.inputs.EngineSettingsArgs;
import com.pulumi.inference.inputs.FairnessArgs;
import com.pulumi.inference.inputs.InferenceRouteRuleArgs;
import com.pulumi.inference.inputs.ModelArgs;
import com.pulumi.inference.inputs.MultinodeArgs;
import com.pulumi.inference.inputs.ParentReferenceArgs;
import com.pulumi.inference.inputs.PoolReferenceArgs;
import com.pulumi.inference.inputs.RoleArgs;
import com.pulumi.inference.inputs.RoutePoolArgs;
import com.pulumi.inference.inputs.RouterGatewayArgs;
import com.pulumi.inference.inputs.RouterHttpRouteArgs;
import com.pulumi.inference.inputs.ServiceModelArgs;
import com.pulumi.inference.inputs.TargetModelArgs;
import java.util.List;
import java.util.Map;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    private static void stack(Context ctx) {
        // A small model on CPUs behind its own gateway.
        var quickstart = new InferenceService("quickstart", InferenceServiceArgs.builder()
            .model(huggingFace("Qwen/Qwen2.5-0.5B-Instruct"))
            .accelerator(AcceleratorName.Cpu)
            .engine(EngineSettingsArgs.builder().name(EngineKind.Vllm).maxModelLen(4096).build())
            .roles(
                role("inference", ComponentType.Worker).build(),
                role("router", ComponentType.Router)
                    .gateway(RouterGatewayArgs.builder()
                        .gatewayClassName("agentgateway")
                        .listeners(List.of(Map.of("name", "http", "port", 80, "protocol", "HTTP")))
                        .build())
                    .build())
            .build());

        // A model that needs four nodes of eight GPUs.
        new InferenceService("deepseek", InferenceServiceArgs.builder()
            .model(huggingFace("deepseek-ai/DeepSeek-R1"))
            .accelerator(AcceleratorName.H100Sxm)
            .roles(role("inference", ComponentType.Worker)
                .replicas(2)
                .multinode(MultinodeArgs.builder().nodeCount(4).build())
                .build())
            .build());

        // Prompts and tokens on different pods.
        var gateway = ParentReferenceArgs.builder().name("inference-gateway").build();
        new InferenceService("qwen", InferenceServiceArgs.builder()
            .model(huggingFace("Qwen/Qwen3-8B"))
            .accelerator(AcceleratorName.H100Sxm)
            .roles(
                role("prefill", ComponentType.Prefiller).replicas(2).build(),
                role("decode", ComponentType.Decoder).replicas(4).build(),
                role("router", ComponentType.Router)
                    .httproute(RouterHttpRouteArgs.builder().parentRefs(gateway).build())
                    .build())
            .build());

        // Existing pods that several teams share.
        var pool = new LLMServerPool("shared", LLMServerPoolArgs.builder()
            .modelServerSelector(Map.of("app", "qwen"))
            .fairness(FairnessArgs.builder().weights(Map.of("default/batch", 1)).build())
            .build());
        var poolRef = PoolReferenceArgs.builder().name(pool.poolName()).build();
        var target = TargetModelArgs.builder().name("Qwen/Qwen3-8B").build();
        new LLMService("search", LLMServiceArgs.builder()
            .share(5)
            .models(ModelArgs.builder().name("search").targetModels(target).build())
            .poolRef(poolRef)
            .build());
        new LLMService("batch", LLMServiceArgs.builder()
            .models(ModelArgs.builder().name("batch").targetModels(target).build())
            .poolRef(poolRef)
            .build());
        new InferenceRoute("shared", InferenceRouteArgs.builder()
            .parentRefs(gateway)
            .rules(InferenceRouteRuleArgs.builder()
                .pools(RoutePoolArgs.builder().name(pool.poolName()).build())
                .build())
            .build());

        ctx.export("url", quickstart.url());
        ctx.export("urlStatus", quickstart.urlStatus());
    }

    private static ServiceModelArgs huggingFace(String name) {
        return ServiceModelArgs.builder().name(name).build();
    }

    private static RoleArgs.Builder role(String name, ComponentType type) {
        return RoleArgs.builder().name(name).componentType(type);
    }
}
