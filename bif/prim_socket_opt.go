package bif

import (
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/vm/term"
)

// The options of sockets that OTP 25 knows on Linux, by level. Those without a
// number are known by name only and not supported.

type sockOpt struct {
	name string
	opt  int
	*optCodec
}

var socketLevelOpts = []sockOpt{
	{"acceptconn", unix.SO_ACCEPTCONN, boolOpt}, {"acceptfilter", 0, nil}, {"bindtodevice", unix.SO_BINDTODEVICE, deviceOpt},
	{"broadcast", unix.SO_BROADCAST, boolOpt}, {"busy_poll", 0, nil}, {"debug", unix.SO_DEBUG, intOpt}, {"domain", unix.SO_DOMAIN, domainOpt},
	{"dontroute", unix.SO_DONTROUTE, boolOpt}, {"error", 0, nil}, {"keepalive", unix.SO_KEEPALIVE, boolOpt}, {"linger", unix.SO_LINGER, lingerOpt},
	{"mark", 0, nil}, {"oobinline", unix.SO_OOBINLINE, boolOpt}, {"passcred", unix.SO_PASSCRED, boolOpt}, {"peek_off", unix.SO_PEEK_OFF, intOpt},
	{"peercred", 0, nil}, {"priority", unix.SO_PRIORITY, intOpt}, {"protocol", unix.SO_PROTOCOL, protocolOpt}, {"rcvbuf", unix.SO_RCVBUF, intOpt},
	{"rcvbufforce", 0, nil}, {"rcvlowat", unix.SO_RCVLOWAT, intOpt}, {"rcvtimeo", 0, nil}, {"reuseaddr", unix.SO_REUSEADDR, boolOpt},
	{"reuseport", unix.SO_REUSEPORT, boolOpt}, {"rxq_ovfl", 0, nil}, {"setfib", 0, nil}, {"sndbuf", unix.SO_SNDBUF, intOpt},
	{"sndbufforce", 0, nil}, {"sndlowat", unix.SO_SNDLOWAT, intOpt}, {"sndtimeo", 0, nil}, {"timestamp", unix.SO_TIMESTAMP, boolOpt},
	{"type", unix.SO_TYPE, typeOpt},
}

var ipLevelOpts = []sockOpt{
	{"add_membership", unix.IP_ADD_MEMBERSHIP, memberOpt}, {"add_source_membership", unix.IP_ADD_SOURCE_MEMBERSHIP, sourceOpt},
	{"block_source", unix.IP_BLOCK_SOURCE, sourceOpt}, {"dontfrag", 0, nil}, {"drop_membership", unix.IP_DROP_MEMBERSHIP, memberOpt},
	{"drop_source_membership", unix.IP_DROP_SOURCE_MEMBERSHIP, sourceOpt}, {"freebind", unix.IP_FREEBIND, boolOpt},
	{"hdrincl", unix.IP_HDRINCL, boolOpt}, {"minttl", unix.IP_MINTTL, intOpt}, {"msfilter", unix.IP_MSFILTER, filterOpt},
	{"mtu", unix.IP_MTU, intGetOpt}, {"mtu_discover", unix.IP_MTU_DISCOVER, mtuDiscoverOpt}, {"multicast_all", unix.IP_MULTICAST_ALL, boolOpt},
	{"multicast_if", unix.IP_MULTICAST_IF, addr4Opt}, {"multicast_loop", unix.IP_MULTICAST_LOOP, boolOpt},
	{"multicast_ttl", unix.IP_MULTICAST_TTL, intOpt}, {"nodefrag", unix.IP_NODEFRAG, boolOpt}, {"options", 0, nil},
	{"pktinfo", unix.IP_PKTINFO, boolOpt}, {"pktoptions", unix.IP_PKTOPTIONS, pktOptionsOpt}, {"recvdstaddr", 0, nil},
	{"recverr", unix.IP_RECVERR, boolOpt}, {"recvif", 0, nil}, {"recvopts", unix.IP_RECVOPTS, boolOpt},
	{"recvorigdstaddr", unix.IP_RECVORIGDSTADDR, boolOpt}, {"recvtos", unix.IP_RECVTOS, boolOpt}, {"recvttl", unix.IP_RECVTTL, boolOpt},
	{"retopts", unix.IP_RETOPTS, boolOpt}, {"router_alert", unix.IP_ROUTER_ALERT, intOpt}, {"sendsrcaddr", 0, nil}, {"tos", unix.IP_TOS, tosOpt},
	{"transparent", unix.IP_TRANSPARENT, boolOpt}, {"ttl", unix.IP_TTL, intOpt}, {"unblock_source", unix.IP_UNBLOCK_SOURCE, sourceOpt},
}

var ipv6LevelOpts = []sockOpt{
	{"add_membership", unix.IPV6_ADD_MEMBERSHIP, member6Opt}, {"addrform", unix.IPV6_ADDRFORM, addrFormOpt}, {"auth_level", 0, nil},
	{"authhdr", unix.IPV6_AUTHHDR, boolOpt}, {"checksum", 0, nil}, {"drop_membership", unix.IPV6_DROP_MEMBERSHIP, member6Opt},
	{"dstopts", unix.IPV6_DSTOPTS, boolOpt}, {"esp_network_level", 0, nil}, {"esp_trans_level", 0, nil}, {"faith", 0, nil},
	{"flowinfo", ipv6FlowInfo, boolOpt}, {"hoplimit", unix.IPV6_HOPLIMIT, boolOpt}, {"hopopts", unix.IPV6_HOPOPTS, boolOpt},
	{"ipcomp_level", 0, nil}, {"join_group", 0, nil}, {"leave_group", 0, nil}, {"mtu", unix.IPV6_MTU, intOpt},
	{"mtu_discover", unix.IPV6_MTU_DISCOVER, mtuDiscoverOpt}, {"multicast_hops", unix.IPV6_MULTICAST_HOPS, hopsOpt},
	{"multicast_if", unix.IPV6_MULTICAST_IF, intOpt}, {"multicast_loop", unix.IPV6_MULTICAST_LOOP, boolOpt}, {"pktoptions", 0, nil},
	{"portrange", 0, nil}, {"recverr", unix.IPV6_RECVERR, boolOpt}, {"recvhoplimit", unix.IPV6_RECVHOPLIMIT, boolOpt},
	{"recvpktinfo", unix.IPV6_RECVPKTINFO, boolOpt}, {"recvtclass", unix.IPV6_RECVTCLASS, boolOpt},
	{"router_alert", unix.IPV6_ROUTER_ALERT, intOpt}, {"rthdr", unix.IPV6_RTHDR, boolOpt}, {"tclass", unix.IPV6_TCLASS, intOpt},
	{"unicast_hops", unix.IPV6_UNICAST_HOPS, hopsOpt}, {"use_min_mtu", 0, nil}, {"v6only", unix.IPV6_V6ONLY, boolOpt},
}

// ipv6FlowInfo is IPV6_FLOWINFO of linux/in6.h.
const ipv6FlowInfo = 11

// Options of SCTP, of linux/sctp.h.
var sctpLevelOpts = []sockOpt{
	{"adaption_layer", 0, nil}, {"associnfo", 1, assocOpt}, {"auth_active_key", 0, nil}, {"auth_chunk", 0, nil}, {"auth_delete_key", 0, nil},
	{"auth_key", 0, nil}, {"autoclose", 4, intOpt}, {"context", 0, nil}, {"default_send_params", 0, nil}, {"delayed_ack_time", 0, nil},
	{"disable_fragments", 8, boolOpt}, {"events", 11, eventsOpt}, {"explicit_eor", 0, nil}, {"fragment_interleave", 0, nil},
	{"get_peer_addr_info", 0, nil}, {"hmac_ident", 0, nil}, {"i_want_mapped_v4_addr", 0, nil}, {"initmsg", 2, initMsgOpt},
	{"local_auth_chunks", 0, nil}, {"maxburst", 0, nil}, {"maxseg", 13, intOpt}, {"nodelay", 3, boolOpt}, {"partial_delivery_point", 0, nil},
	{"peer_addr_params", 0, nil}, {"peer_auth_chunks", 0, nil}, {"primary_addr", 0, nil}, {"reset_streams", 0, nil}, {"rtoinfo", 0, rtoOpt},
	{"set_peer_primary_addr", 0, nil}, {"status", 0, nil}, {"use_ext_recvinfo", 0, nil},
}

var tcpLevelOpts = []sockOpt{
	{"congestion", unix.TCP_CONGESTION, congestionOpt}, {"cork", unix.TCP_CORK, boolOpt}, {"info", 0, nil}, {"keepcnt", 0, nil},
	{"keepidle", 0, nil}, {"keepintvl", 0, nil}, {"maxseg", unix.TCP_MAXSEG, intOpt}, {"md5sig", 0, nil}, {"nodelay", unix.TCP_NODELAY, boolOpt},
	{"noopt", 0, nil}, {"nopush", 0, nil}, {"syncnt", 0, nil}, {"user_timeout", 0, nil},
}

var udpLevelOpts = []sockOpt{{"cork", unix.UDP_CORK, boolOpt}}

var sockOptLevels = []struct {
	level int
	opts  []sockOpt
}{
	{unix.SOL_IP, ipLevelOpts}, {unix.SOL_SOCKET, socketLevelOpts}, {unix.IPPROTO_TCP, tcpLevelOpts},
	{unix.IPPROTO_UDP, udpLevelOpts}, {unix.SOL_IPV6, ipv6LevelOpts}, {unix.IPPROTO_SCTP, sctpLevelOpts},
}

// findOpt returns how an option is set and got, or nil.
func findOpt(level, opt int) *optCodec {
	for _, l := range sockOptLevels {
		if l.level != level {
			continue
		}
		for i := range l.opts {
			if o := &l.opts[i]; o.optCodec != nil && o.opt == opt {
				return o.optCodec
			}
		}
	}
	return nil
}

// Options of level otp.
const (
	otpDebug       = 1001
	otpIow         = 1002
	otpCtrlProc    = 1003
	otpRcvBuf      = 1004
	otpRcvCtrlBuf  = 1006
	otpSndCtrlBuf  = 1007
	otpFD          = 1008
	otpMeta        = 1009
	otpUseRegistry = 1010
	otpDomain      = 1999
)

var amOtpOption = term.Intern("otp_socket_option")
