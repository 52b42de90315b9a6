// Package order holds the life of an order as one readable table: state x
// event -> next state and effects. Effects are data; core/booking, which holds
// the locks and the transaction, carries them out.
//
//	                    +------------- declined, abandoned -------------+
//	                    v                                               |
//	place ---> pending_payment --- pay ---> verifying ------------------+
//	             |   |                        |   |
//	   hold ended|   |cancel           cancel |   | first money, kept
//	             v   v                        |   v
//	        expired  cancelled <--------------+  confirmed --- captured ---> captured
//	             |       ^                        |                             |
//	money comes  |       +-- cancel, capture -----+              partly_refunded, refunded
//	late and is  |           refused
//	returned     v
//	      expired_refunded
//
// An expired order can still be confirmed: money that comes late is decided by
// the late-success table of core/payment, and "keep" confirms from expired too.
package order
