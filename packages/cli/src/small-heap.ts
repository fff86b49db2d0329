import { setFlagsFromString } from 'node:v8'

/**
 * Lets the heap grow slowly from here on. Left alone, V8 gathers tens of megabytes of what is no longer needed before it
 * looks, which for a stream without end costs memory and saves little time.
 */
export const keepHeapSmall = (): void => setFlagsFromString('--optimize-for-size')
