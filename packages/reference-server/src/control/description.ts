/** Load the OpenAPI document of the control plane, with `%CONTROL_URL%` in place of its address. */
export const controlDescription = async (): Promise<string> =>
  (await import('../generated/description-control.js')).text
