/** Of the release: that of package.json, as OpenAPI documents, `/mcp` and the image carry it. */
import packageJson from '../../package.json' with { type: 'json' };

export const VERSION: string = packageJson.version;
