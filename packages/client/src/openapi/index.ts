/**
 * The typed openapi-fetch clients of a client.
 *
 * @module @svc/client/openapi
 */

export { type AnnotationClient, type OpenapiClients, openapi, type WorkspaceClient } from './openapi.js'
