/** Port on which the webhook for pod plugins serves; the Service has it under 443. */
export const podPluginWebhookPort = 9443;
