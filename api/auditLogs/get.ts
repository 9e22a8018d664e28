import { readAudit } from '../../db/audit/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { AuditRecord, viewAudit } from './schemas.ts';

export const get = endpoint({
  id: 'auditLogs.get',
  route: 'GET /v1/audit-logs/{auditId}',
  summary: 'Read a record of the audit log with all of its changes',
  access: 'store',
  scopes: ['audit:r'],
  change: 'none',
  data: AuditRecord,
  errors: ['AUDIT_NOT_FOUND'],
}).handle(async ({ tx, params }) => viewAudit(await readAudit(tx, params.auditId)));
