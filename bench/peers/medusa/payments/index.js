/** A payment provider without a provider: every session is authorized and captured at once. */
const { randomUUID } = require('node:crypto');
const { AbstractPaymentProvider, ModuleProvider, Modules, PaymentSessionStatus } = require('@medusajs/framework/utils');

const nothing = async () => ({ data: {} });

class BenchPayments extends AbstractPaymentProvider {
  static identifier = 'bench';
  initiatePayment = async () => ({ id: randomUUID(), data: {} });
  authorizePayment = async () => ({ data: {}, status: PaymentSessionStatus.CAPTURED });
  getPaymentStatus = async () => ({ status: PaymentSessionStatus.CAPTURED });
  retrievePayment = nothing;
  updatePayment = nothing;
  deletePayment = nothing;
  capturePayment = nothing;
  refundPayment = nothing;
  cancelPayment = nothing;
  getWebhookActionAndData = async () => ({ action: 'not_supported' });
}

module.exports = ModuleProvider(Modules.PAYMENT, { services: [BenchPayments] });
