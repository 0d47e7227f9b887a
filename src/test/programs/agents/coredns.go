// CoreDNS with its plugins; or `coredns ask ADDRESS NAME...`, which prints the addresses and ports that one has for names.
package main

import (
	"fmt"
	"os"

	_ "github.com/coredns/coredns/core/plugin"
	"github.com/coredns/coredns/coremain"
	"github.com/miekg/dns"
)

func main() {
	if len(os.Args) < 3 || os.Args[1] != "ask" {
		coremain.Run()
		return
	}
	client := dns.Client{Net: "tcp"}
	for _, name := range os.Args[3:] {
		for _, kind := range []uint16{dns.TypeA, dns.TypeSRV} {
			answer, _, err := client.Exchange(new(dns.Msg).SetQuestion(name, kind), os.Args[2])
			if err != nil {
				panic(err)
			}
			for _, record := range answer.Answer {
				record.Header().Ttl = 0
				fmt.Println(record)
			}
		}
	}
}
