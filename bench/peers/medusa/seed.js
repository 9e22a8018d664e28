/** `medusa exec ./seed.js <file>`: a region, a channel, 100 products of three variants, and what the client has to know. */
const { writeFileSync } = require('node:fs');
const { ContainerRegistrationKeys, Modules, ProductStatus } = require('@medusajs/framework/utils');
const flows = require('@medusajs/medusa/core-flows');

const SIZES = ['S', 'M', 'L'];

exports.default = async function seed({ container, args: [file] }) {
  const run = async (flow, input) => (await flow(container).run({ input })).result;
  const link = container.resolve(ContainerRegistrationKeys.LINK);
  const [channel] = await run(flows.createSalesChannelsWorkflow, { salesChannelsData: [{ name: 'bench' }] });
  const region = { name: 'Korea', currency_code: 'krw', countries: ['kr'], payment_providers: ['pp_bench_bench'] };
  const [{ id: regionId }] = await run(flows.createRegionsWorkflow, { regions: [region] });
  await run(flows.createTaxRegionsWorkflow, [{ country_code: 'kr', provider_id: 'tp_system' }]);
  const locationId = await makeLocation(run, link, channel.id);
  const { profileId, optionId } = await makeShipping(run, container, link, locationId);
  const [key] = await run(flows.createApiKeysWorkflow, { api_keys: [{ title: 'bench', type: 'publishable', created_by: '' }] });
  await run(flows.linkSalesChannelsToApiKeyWorkflow, { id: key.id, add: [channel.id] });
  const products = Array.from({ length: 100 }, (_, i) => productOf(i, channel.id, profileId));
  const created = await run(flows.createProductsWorkflow, { products });
  const { data: items } = await container.resolve(ContainerRegistrationKeys.QUERY).graph({ entity: 'inventory_item', fields: ['id'] });
  const levels = items.map(({ id }) => ({ location_id: locationId, inventory_item_id: id, stocked_quantity: 1_000_000 }));
  await run(flows.createInventoryLevelsWorkflow, { inventory_levels: levels });
  const variantId = created.find(({ title }) => title === 'product 0').variants[0].id;
  writeFileSync(file, JSON.stringify({ variantId, regionId, optionId, key: key.token, provider: 'pp_bench_bench' }));
};

async function makeLocation(run, link, channelId) {
  const address = { city: 'Seoul', country_code: 'KR', address_1: '' };
  const [{ id }] = await run(flows.createStockLocationsWorkflow, { locations: [{ name: 'bench', address }] });
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: id },
    [Modules.FULFILLMENT]: { fulfillment_provider_id: 'manual_manual' },
  });
  await run(flows.linkSalesChannelsToStockLocationWorkflow, { id, add: [channelId] });
  return id;
}

async function makeShipping(run, container, link, locationId) {
  const fulfillment = container.resolve(Modules.FULFILLMENT);
  const [known] = await fulfillment.listShippingProfiles({ type: 'default' });
  const profiles = { data: [{ name: 'bench', type: 'default' }] };
  const { id: profileId } = known ?? (await run(flows.createShippingProfilesWorkflow, profiles))[0];
  const set = await fulfillment.createFulfillmentSets({
    name: 'bench',
    type: 'shipping',
    service_zones: [{ name: 'Korea', geo_zones: [{ country_code: 'kr', type: 'country' }] }],
  });
  await link.create({ [Modules.STOCK_LOCATION]: { stock_location_id: locationId }, [Modules.FULFILLMENT]: { fulfillment_set_id: set.id } });
  const option = {
    name: 'Flat',
    price_type: 'flat',
    provider_id: 'manual_manual',
    service_zone_id: set.service_zones[0].id,
    shipping_profile_id: profileId,
    type: { label: 'Flat', description: 'Flat', code: 'flat' },
    prices: [{ currency_code: 'krw', amount: 3000 }],
    rules: [
      { attribute: 'enabled_in_store', value: 'true', operator: 'eq' },
      { attribute: 'is_return', value: 'false', operator: 'eq' },
    ],
  };
  const [{ id: optionId }] = await run(flows.createShippingOptionsWorkflow, [option]);
  return { profileId, optionId };
}

const productOf = (i, channelId, profileId) => ({
  title: `product ${i}`,
  handle: `product-${i}`,
  description: `bench product ${i}`,
  status: ProductStatus.PUBLISHED,
  shipping_profile_id: profileId,
  sales_channels: [{ id: channelId }],
  options: [{ title: 'size', values: SIZES }],
  variants: SIZES.map((size) => ({
    title: size,
    sku: `p${i}-${size}`,
    options: { size },
    prices: [{ amount: 10_000, currency_code: 'krw' }],
  })),
});
