/** The error of an application in which MSW cannot be loaded. */
export const missingMsw = (cause: unknown): Error =>
  new Error(
    '@svc/reference-server cannot load msw. Run: npm install --save-dev msw. Without MSW, import @svc/reference-server/core.',
    { cause },
  )
