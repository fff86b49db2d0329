import { annotation } from './annotations.js'
import { description } from './description.js'
import type { Operation } from './operation.js'
import { projects } from './projects.js'
import { legacy, transcripts } from './transcripts.js'

/** Every operation of both surfaces, and those that serve the interface description. */
export const operations: readonly Operation[] = [...annotation, ...description, ...projects, ...transcripts, ...legacy]

/** Those of a server without legacy routes. */
export const currentOperations: readonly Operation[] = operations.filter((operation) => !legacy.includes(operation))
