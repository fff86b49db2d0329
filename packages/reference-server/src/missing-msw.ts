/** The error of an application in which MSW is missing, or cannot be loaded, as in Jest. */
export function missingMsw(cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException
  const isMissing = /^(ERR_)?MODULE_NOT_FOUND$/.test(code ?? '') && /'msw'/.test(message)
  const reason = isMissing ? 'It is not installed; run: npm install --save-dev msw.' : message.trim().split('\n', 1)[0]
  return new Error(`@svc/reference-server cannot load msw. ${reason} Without MSW, import @svc/reference-server/core.`, {
    cause,
  })
}
