package main

import (
	"github.com/pulumi-inference/pulumi-inference/sdk/go/inference"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// ptr returns a pointer to an optional argument.
func ptr[T any](value T) *T { return &value }

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		// A small model on CPUs behind its own gateway.
		quickstart, err := inference.NewInferenceService(ctx, "quickstart", &inference.InferenceServiceArgs{
			Model:       &inference.ServiceModelArgs{Name: "Qwen/Qwen2.5-0.5B-Instruct"},
			Accelerator: ptr(inference.AcceleratorNameCpu),
			Engine:      &inference.EngineSettingsArgs{Name: inference.EngineKindVllm, MaxModelLen: ptr(4096)},
			Roles: []inference.RoleArgs{
				{Name: "inference", ComponentType: inference.ComponentTypeWorker},
				{
					Name:          "router",
					ComponentType: inference.ComponentTypeRouter,
					Gateway: &inference.RouterGatewayArgs{
						GatewayClassName: pulumi.String("agentgateway"),
						Listeners: pulumi.MapArray{pulumi.Map{
							"name":     pulumi.String("http"),
							"port":     pulumi.Int(80),
							"protocol": pulumi.String("HTTP"),
						}},
					},
				},
			},
		})
		if err != nil {
			return err
		}

		// A model that needs four nodes of eight GPUs.
		_, err = inference.NewInferenceService(ctx, "deepseek", &inference.InferenceServiceArgs{
			Model:       &inference.ServiceModelArgs{Name: "deepseek-ai/DeepSeek-R1"},
			Accelerator: ptr(inference.AcceleratorNameH100Sxm),
			Roles: []inference.RoleArgs{{
				Name:          "inference",
				ComponentType: inference.ComponentTypeWorker,
				Replicas:      ptr(2),
				Multinode:     &inference.MultinodeArgs{NodeCount: 4},
			}},
		})
		if err != nil {
			return err
		}

		// Prompts and tokens on different pods.
		gateway := []inference.ParentReferenceArgs{{Name: pulumi.String("inference-gateway")}}
		_, err = inference.NewInferenceService(ctx, "qwen", &inference.InferenceServiceArgs{
			Model:       &inference.ServiceModelArgs{Name: "Qwen/Qwen3-8B"},
			Accelerator: ptr(inference.AcceleratorNameH100Sxm),
			Roles: []inference.RoleArgs{
				{Name: "prefill", ComponentType: inference.ComponentTypePrefiller, Replicas: ptr(2)},
				{Name: "decode", ComponentType: inference.ComponentTypeDecoder, Replicas: ptr(4)},
				{
					Name:          "router",
					ComponentType: inference.ComponentTypeRouter,
					Httproute:     &inference.RouterHttpRouteArgs{ParentRefs: gateway},
				},
			},
		})
		if err != nil {
			return err
		}

		// Existing pods that several teams share.
		pool, err := inference.NewLLMServerPool(ctx, "shared", &inference.LLMServerPoolArgs{
			ModelServerSelector: map[string]string{"app": "qwen"},
			Fairness:            &inference.FairnessArgs{Weights: map[string]int{"default/batch": 1}},
		})
		if err != nil {
			return err
		}
		poolRef := []inference.PoolReferenceArgs{{Name: pool.PoolName}}
		targetModels := []inference.TargetModelArgs{{Name: "Qwen/Qwen3-8B"}}
		_, err = inference.NewLLMService(ctx, "search", &inference.LLMServiceArgs{
			Share:   ptr(5),
			Models:  []inference.ModelArgs{{Name: "search", TargetModels: targetModels}},
			PoolRef: poolRef,
		})
		if err != nil {
			return err
		}
		_, err = inference.NewLLMService(ctx, "batch", &inference.LLMServiceArgs{
			Models:  []inference.ModelArgs{{Name: "batch", TargetModels: targetModels}},
			PoolRef: poolRef,
		})
		if err != nil {
			return err
		}
		_, err = inference.NewInferenceRoute(ctx, "shared", &inference.InferenceRouteArgs{
			ParentRefs: gateway,
			Rules: []inference.InferenceRouteRuleArgs{{
				Pools: []inference.RoutePoolArgs{{Name: pool.PoolName}},
			}},
		})
		if err != nil {
			return err
		}

		ctx.Export("url", quickstart.Url)
		ctx.Export("urlStatus", quickstart.UrlStatus)
		return nil
	})
}
