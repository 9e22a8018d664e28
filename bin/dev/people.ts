/** The members of a development store: one for each role. The development identity provider lets any address log in. */
import type { MikroORM } from '@mikro-orm/postgresql';
import { MemberEntity } from '../../db/identity/entities.ts';
import { addMember } from '../../db/identity/members.ts';
import { inTenant, realTime, REQUEST } from '../../db/kernel/tx.ts';
import { withOrm } from '../../db/orm.ts';
import type { Role } from '../../domain/identity/rules.ts';

export interface Person {
  readonly email: string;
  readonly role: Role;
}

/** One member for each role of a store. */
export const peopleOf = (storeCode: string): Person[] =>
  (['OWNER', 'ADMIN', 'STAFF'] as const).map((role) => ({ email: `${role.toLowerCase()}@${storeCode}.example`, role }));

/** Adds these members to a store that has none. They log in at the identity provider with these addresses. */
export const seedMembers = (databaseUrl: string, storeId: string, members: readonly Person[]): Promise<void> =>
  withOrm(databaseUrl, 1, (orm) => seedMembersIn(orm, storeId, members));

/** The same on connections that stay open. */
export async function seedMembersIn(orm: MikroORM, storeId: string, members: readonly Person[]): Promise<void> {
  await inTenant(orm, realTime(storeId, Date.now()), REQUEST, async (tx) => {
    if ((await tx.em.count(MemberEntity, { storeId })) > 0) return;
    for (const { email, role } of members) await addMember(tx, email, role);
  });
}
