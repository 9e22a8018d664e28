/** `api_search`: the operations of the management API, as they are declared. */
import { policyOf } from '../declare/agents.ts';
import { type Endpoint, isManaged } from '../declare/endpoint.ts';

/** More are left out: a narrower query finds them. */
const MAX_FOUND = 50;

interface Described {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** What an agent may do with it: `direct`, `approval`, `denied`, or `conditional`, by what would change. */
  readonly agentPolicy: string;
}

function described(endpoint: Endpoint): Described {
  const [method = '', path = ''] = endpoint.route.split(' ');
  const isForPeople = !isManaged(endpoint) && (endpoint.agentAccess === 'none' || (endpoint.console && !endpoint.agentAccess));
  return { operationId: endpoint.id, method, path, summary: endpoint.summary, agentPolicy: isForPeople ? 'denied' : policyOf(endpoint) };
}

/** Those with most of the words first, at most 50; all of them have at least one. Without words, the first 50. */
export function createSearch(endpoints: readonly Endpoint[]): (query: string) => { readonly operations: readonly Described[] } {
  const known = endpoints
    .filter(({ access }) => access === 'store')
    .map(described)
    .map((operation) => ({ operation, text: Object.values(operation).join(' ').toLowerCase() }));
  return (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = known
      .map(({ operation, text }) => ({ operation, score: words.filter((word) => text.includes(word)).length }))
      .filter(({ score }) => words.length === 0 || score > 0)
      .toSorted((a, b) => b.score - a.score);
    return { operations: found.slice(0, MAX_FOUND).map(({ operation }) => operation) };
  };
}
