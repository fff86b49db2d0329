/** All that a stream gives; rejects with the signal's reason when it comes first. */
export async function readWhole(stream: NodeJS.ReadStream, signal: AbortSignal): Promise<Uint8Array> {
  signal.throwIfAborted()
  const stop = () => stream.destroy()
  signal.addEventListener('abort', stop, { once: true })
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of stream) chunks.push(chunk as Uint8Array)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
  signal.throwIfAborted()
  return Buffer.concat(chunks)
}
