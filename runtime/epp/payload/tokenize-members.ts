/** Members of a request that affect its tokens and that vLLM's `/tokenize` accepts. */
export const tokenizeMembers = {
  completions: ["prompt", "add_special_tokens"],
  chat: [
    "messages",
    "tools",
    "add_generation_prompt",
    "continue_final_message",
    "add_special_tokens",
    "chat_template",
    "chat_template_kwargs",
  ],
} as const;
